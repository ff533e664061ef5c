import { IsIn } from 'class-validator';
import { Environment } from '../../config/environment.decorator';

/** How much is logged, and in which form. */
@Environment()
export class LoggingConfig {
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    message: '$property must be fatal, error, warn, info, debug, trace or silent',
  })
  LOG_LEVEL = 'info';

  /** `pretty` for people, `json` for collectors; pretty in development if absent. */
  @IsIn(['pretty', 'json', null], { message: '$property must be pretty or json' })
  LOG_FORMAT: 'pretty' | 'json' | null = null;

  /** Read here only to choose the form; its rule is that of `AppConfig`. */
  NODE_ENV = 'development';

  get isPretty(): boolean {
    return (this.LOG_FORMAT ?? (this.NODE_ENV === 'development' ? 'pretty' : 'json')) === 'pretty';
  }
}
