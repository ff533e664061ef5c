/** The exports of this module for other modules. */
export { ContentBlockedError, GuardUnavailableError } from '../../common/errors/guard.errors';
export { CheckLog } from './checking/check-log';
export { CheckedTexts, type TextToCheck } from './checking/checked-texts';
export {
  GUARD_ACTIONS,
  GUARD_FAULTS,
  type GuardAction,
  type GuardCheck,
  type GuardFault,
  type GuardPart,
  type GuardScope,
  type GuardSpan,
  type GuardText,
  type GuardVerdict,
} from './checking/guard-check';
export { type AppliedGuard, Guards } from './checking/guards';
export { GuardModule } from './guard.module';
export { GUARD_STAGES, type GuardStage } from './guards/guard.entity';
export { ConversationMasks } from './masking/conversation-masks';
export { MaskRestorer } from './masking/mask-restorer';
export { findMasks, joinSpans, type TypedSpan } from './masking/mask-text';
export { type MaskPair, Masks, type MaskSpan, type MaskUse } from './masking/masks';
export { GuardTraces, ofOwner } from './reporting/guard-traces';
