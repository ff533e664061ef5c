import { Module } from '@nestjs/common';
import { declareRouteGroup } from '../../common/http/route-groups';
import { LlmModule } from '../../integrations/llm/llm.module';
import { MailModule } from '../../integrations/mail/mail.module';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';
import { MetricsController } from './metrics.controller';
import { MetricsService } from './metrics.service';

declareRouteGroup('Operation', 'Health and measurements for operators.', 130);

/**
 * Tells operators how the service is. `HealthService` asks each dependency for /health and /health/ready, and
 * `MetricsService` gives Prometheus the measurements of the process.
 */
@Module({
  imports: [LlmModule, MailModule],
  controllers: [HealthController, MetricsController],
  providers: [HealthService, MetricsService],
})
export class HealthModule {}
