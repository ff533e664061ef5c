import { Feature } from '../../common/features/feature.decorator';
import { BlobStoreModule } from '../../integrations/blob-store/blob-store.module';
import { MailModule } from '../../integrations/mail/mail.module';
import { AdminModule } from '../admin/admin.api';
import { GroupModule } from '../group/group.api';
import { HoldModule } from '../hold/hold.api';
import { KnowledgeModule } from '../knowledge/knowledge.api';
import { UserModule } from '../user/user.api';
import { HoldExportController } from './export/hold-export.controller';
import { HoldExportService } from './export/hold-export.service';
import { HoldRows } from './export/hold-rows';
import { HOLD_EVENTS } from './hold.events';
import { HOLD_BEGAN, HOLD_ENDED } from './hold.mails';
import { HoldPersonalData } from './hold-personal-data';
import { HoldAdministrationService } from './holds/hold-administration.service';
import { HoldEndings } from './holds/hold-endings';
import { HoldExpiry } from './holds/hold-expiry';
import { HoldMailer } from './holds/hold-mailer';
import { HoldSubjects } from './holds/hold-subjects';
import { HoldsController } from './holds/holds.controller';
import { holdAudit } from './holds/legal-hold.audit';
import { OwnHoldsController } from './own/own-holds.controller';

/**
 * Manages legal holds. The module `hold` knows what they keep.
 *
 * - `holds/` has the routes for administrators, the beginning and the end of holds.
 * - `export/` writes what a hold keeps. `own/` is the users' view.
 */
@Feature({
  folder: __dirname,
  groups: { 'Legal holds': 'Data that must be kept whatever deletes it, for administrators.' },
  events: HOLD_EVENTS,
  audits: [holdAudit],
  mails: [HOLD_BEGAN, HOLD_ENDED],
  imports: [AdminModule, BlobStoreModule, GroupModule, HoldModule, KnowledgeModule, MailModule, UserModule],
  controllers: [HoldsController, HoldExportController, OwnHoldsController],
  providers: [
    HoldAdministrationService,
    HoldEndings,
    HoldExpiry,
    HoldExportService,
    HoldMailer,
    HoldPersonalData,
    HoldRows,
    HoldSubjects,
  ],
})
export class HoldAdministrationModule {}
