import { IsString, ValidateIf } from 'class-validator';
import { Environment } from '../../config/environment.decorator';

@Environment()
export class MetricsConfig {
  /** When set, /metrics asks for it as a bearer token. */
  @ValidateIf((config: MetricsConfig) => config.METRICS_TOKEN !== null)
  @IsString()
  METRICS_TOKEN: string | null = null;
}
