/** The exports of this module for other modules. */
export { HoldModule } from './hold.module';
export { type HoldNotice, HoldNotices } from './hold-notices';
export {
  HOLD_SCOPES,
  HOLD_STATUSES,
  type HoldCounts,
  type HoldScope,
  type HoldStatus,
  LegalHoldCopyEntity,
  LegalHoldEntity,
  LegalHoldUserEntity,
} from './legal-hold.entity';
export { isHeld, isHeldChat, isHeldUser, LegalHolds } from './legal-holds';
