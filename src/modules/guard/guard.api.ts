/** The exports of this module for other modules. */
export { CheckedTexts, type TextToCheck } from './checking/checked-texts';
export type { GuardCheck, GuardPart, GuardScope, GuardSpan, GuardText, GuardVerdict } from './checking/guard-check';
export { type AppliedGuard, Guards } from './checking/guards';
export { ContentBlockedError, GuardUnavailableError } from './guard.errors';
export { GuardModule } from './guard.module';
export type { GuardStage } from './guards/guard.entity';
