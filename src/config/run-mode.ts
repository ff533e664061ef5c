import { IsIn } from 'class-validator';

/** Base of configuration classes whose defaults or rules depend on how the process runs. */
export abstract class RunMode {
  /** `production` refuses unsafe defaults; `test` is development without pretty logs. */
  @IsIn(['development', 'production', 'test'], { message: '$property must be development, production or test' })
  NODE_ENV: 'development' | 'production' | 'test' = 'development';

  get isProduction(): boolean {
    return this.NODE_ENV === 'production';
  }
}
