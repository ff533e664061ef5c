/** The exports of this module for other modules. */
export { HoldModule } from './hold.module';
export { HoldNotices } from './hold-notices';
export { HOLD_SCOPES, HOLD_STATUSES, type HoldCounts, type HoldScope, type HoldStatus } from './legal-hold.entity';
export { type LegalHold, LegalHoldStore } from './legal-hold.store';
export { isHeld, isHeldChat, isHeldUser, LegalHolds } from './legal-holds';
