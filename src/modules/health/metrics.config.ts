import { Matches, ValidateIf } from 'class-validator';

export class MetricsConfig {
  /** If set, /metrics requires it as a bearer token. */
  @ValidateIf((config: MetricsConfig) => config.METRICS_TOKEN !== null)
  @Matches(/^[\x21-\x7e]+$/, { message: '$property must be visible ASCII characters without blanks' })
  METRICS_TOKEN: string | null = null;
}
