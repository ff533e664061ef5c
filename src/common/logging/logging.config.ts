import { IsIn } from 'class-validator';
import { RunMode } from '../../config/run-mode';
import { LOG_LEVELS, type LogLevel } from './log-level';

/** The level and the format of the log. */
export class LoggingConfig extends RunMode {
  @IsIn(LOG_LEVELS, { message: '$property must be fatal, error, warn, info, debug, trace or silent' })
  LOG_LEVEL: LogLevel = 'info';

  /** `pretty` for people, `json` for collectors. Default: `json`; `pretty` in development. */
  @IsIn(['pretty', 'json', null], { message: '$property must be pretty or json' })
  LOG_FORMAT: 'pretty' | 'json' | null = null;

  get isPretty(): boolean {
    return (this.LOG_FORMAT ?? (this.NODE_ENV === 'development' ? 'pretty' : 'json')) === 'pretty';
  }
}
