import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { GenerationModule } from '../generation/generation.api';
import { HealthModule } from '../health/health.api';
import { UserModule } from '../user/user.api';
import { ConfigurationController } from './configuration/configuration.controller';
import { ConfigurationService } from './configuration/configuration.service';
import { ConfigurationHash } from './configuration/configuration-hash';
import { InstanceReports } from './instances/instance-reports';
import { InstancesController } from './instances/instances.controller';
import { InstancesService } from './instances/instances.service';
import { LogLevelController } from './log-levels/log-level.controller';
import { LogLevelEntity } from './log-levels/log-level.entity';
import { LogLevelsService } from './log-levels/log-levels.service';
import { supportBundleAudit } from './operation.audit';
import { SupportController } from './support/support.controller';
import { SupportBundleService } from './support/support-bundle.service';

/**
 * The running service, for its operators.
 *
 * - `instances/` has the processes that share the database. Each reports its state with its heartbeat.
 * - `configuration/` lists the variables, `log-levels/` sets the log level for a time.
 * - `support/` makes support bundles. `support.ts` makes one without the service.
 */
@Feature({
  folder: __dirname,
  audits: [supportBundleAudit],
  imports: [TypeOrmModule.forFeature([LogLevelEntity]), GenerationModule, HealthModule, UserModule],
  controllers: [InstancesController, ConfigurationController, LogLevelController, SupportController],
  providers: [
    ConfigurationHash,
    InstanceReports,
    InstancesService,
    LogLevelsService,
    ConfigurationService,
    SupportBundleService,
  ],
})
export class OperationModule {}
