import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { GroupModule } from '../group/group.api';
import { UserModule } from '../user/user.api';
import { RetentionController } from './administration/retention.controller';
import { RetentionAdministrationService } from './administration/retention-administration.service';
import { RetentionDirectory } from './policies/retention-directory';
import { RetentionLeaverEntity, RetentionPolicyEntity } from './policies/retention-policy.entity';
import { RetentionPolicyStore } from './policies/retention-policy.store';
import { RetentionConfig } from './retention.config';
import { retentionAudit, retentionSwept } from './retention.events';
import { RetentionPersonalData } from './retention.personal-data';
import { RetainedData } from './sweeping/retained-data';
import { RetentionPreview } from './sweeping/retention-preview';
import { RetentionReports } from './sweeping/retention-reports';
import { RetentionSweepEntity } from './sweeping/retention-sweep.entity';
import { RetentionSweeper } from './sweeping/retention-sweeper';
import { SweepRuns } from './sweeping/sweep-runs';

/**
 * Deletes data when a policy says so.
 *
 * - `policies/`: the policies, and which of them applies to whose data.
 * - `sweeping/`: sweeps over due data, which the modules that own it describe (`RetainedRows`).
 * - `administration/`: the routes for administrators.
 */
@Feature({
  folder: __dirname,
  groups: { Retention: 'How long data is kept, and the sweeps that delete it.' },
  events: [retentionSwept],
  audits: [retentionAudit],
  configuration: [RetentionConfig],
  imports: [
    TypeOrmModule.forFeature([RetentionPolicyEntity, RetentionLeaverEntity, RetentionSweepEntity]),
    GroupModule,
    UserModule,
  ],
  controllers: [RetentionController],
  providers: [
    RetainedData,
    RetentionAdministrationService,
    RetentionDirectory,
    RetentionPersonalData,
    RetentionPolicyStore,
    RetentionPreview,
    RetentionReports,
    RetentionSweeper,
    SweepRuns,
  ],
  exports: [RetainedData, RetentionDirectory],
})
export class RetentionModule {}
