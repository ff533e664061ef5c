import { Feature } from '../../common/features/feature.decorator';
import { LlmModule } from '../../integrations/llm/llm.module';
import { MailModule } from '../../integrations/mail/mail.module';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';
import { MetricsConfig } from './metrics.config';
import { MetricsController } from './metrics.controller';
import { MetricsService } from './metrics.service';

/**
 * The state of the service for operators. `HealthService` checks each dependency for /health and /health/ready, and
 * `MetricsService` provides the metrics of the process to Prometheus.
 */
@Feature({
  groups: { Monitoring: 'Health checks, metrics, open problems and failed replies.' },
  unlogged: ['/health', '/metrics'],
  urgent: [/^\/(health|metrics)(\/|$)/],
  configuration: [MetricsConfig],
  imports: [LlmModule, MailModule],
  controllers: [HealthController, MetricsController],
  providers: [HealthService, MetricsService],
  exports: [HealthService],
})
export class HealthModule {}
