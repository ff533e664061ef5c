import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { HoldNotices } from './hold-notices';
import { LegalHoldCopyEntity, LegalHoldEntity, LegalHoldLockEntity, LegalHoldUserEntity } from './legal-hold.entity';
import { LegalHoldStore } from './legal-hold.store';
import { LegalHolds } from './legal-holds';

/** Which data legal holds keep. Modules that delete data use it; `hold-administration` manages the holds. */
@Feature({
  imports: [TypeOrmModule.forFeature([LegalHoldEntity, LegalHoldUserEntity, LegalHoldCopyEntity, LegalHoldLockEntity])],
  providers: [HoldNotices, LegalHolds, LegalHoldStore],
  exports: [HoldNotices, LegalHolds, LegalHoldStore],
})
export class HoldModule {}
