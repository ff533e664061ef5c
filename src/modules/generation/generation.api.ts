/** What other modules may use of this one. */
export type { RemoteAccess } from '../tool/tool.api';
export {
  ActionAlreadyDecidedError,
  ActionNotFoundError,
  ApprovalNotFoundError,
  DECISION_FAILURES,
} from './acting/acting.errors';
export { ActionLists } from './acting/action-lists';
export {
  APPROVAL_SCOPES,
  type ApprovalScope,
  targetsOf,
  type ToolApproval,
} from './acting/approvals/tool-approval.entity';
export { ToolApprovals } from './acting/approvals/tool-approvals';
export { actionAudit } from './acting/deciding/action.audit';
export type { DecisionWish } from './acting/deciding/decision-rules';
export { RunEnds } from './acting/run-ends';
export { callIdOf, canRemember, type ShownAction } from './acting/shown-action';
export { ToolStatistics } from './acting/statistics/tool-statistics';
export { type ToolTime, ToolTimes } from './acting/statistics/tool-times';
export {
  ACTION_KINDS,
  ACTION_STATES,
  type ActionKind,
  type ActionState,
  type Decision,
  DECISIONS,
} from './acting/tool-action.entity';
export { type Decided, mayDecide, type RunTaken, ToolDecisions } from './acting/tool-decisions';
export { ToolOffer } from './acting/tool-offer';
export { combined, isTightening, NOT_TIGHTENED, type SourceRule, type Tightening } from './acting/tool-policy';
export { ReplyLocator } from './elsewhere/reply-locator';
export { ReplyStopper } from './elsewhere/reply-stopper';
export { FailedReplies, type FailedReply, type FailedReplyFilter } from './failures/failed-replies';
export { type ModelRecord, ModelReliability } from './failures/model-reliability';
export { IdempotencyConflictError, REPLY_FAILURES, TooManyConcurrentError } from './generation.errors';
export { GenerationModule } from './generation.module';
export { IdempotencyService, type RepeatableRequest } from './idempotency/idempotency.service';
export { IDEMPOTENCY_KEY, IdempotencyKey } from './idempotency/idempotency-key.decorator';
export type { FileReference, FoundContent } from './input-files/file-reference';
export { FILE_ERRORS, TooManyFilesError } from './input-files/input-file.errors';
export { FILE_LIMITS, InputFiles } from './input-files/input-files';
export type { ToldSize } from './paying/reply-budget';
export { ReplyPieces } from './pieces/reply-pieces';
export { CompactionSeal } from './prompt/compaction/compaction-seal';
export { PromptBuilder } from './prompt/prompt-builder';
export { mostMessages, tokensOfTurn } from './prompt/prompt-limits';
export { accompany, type HttpExchange, ReplyStreams, tellCost, throwIfFailed } from './reading/reply-streams';
export { type CompactionOption, type GenerationOptions, NO_OPTIONS } from './reply/generation-options';
export {
  type CountedTexts,
  type GenerationTask,
  NOTHING_COUNTED,
  type Sender,
  senderOf,
} from './reply/generation-task';
export { LiveReply } from './reply/live-reply';
export type { ReadFrom } from './reply/read-from';
export type { ReplyEnd, ReplyFacts } from './reply/reply-end';
export { isRefusal, REPLY_ERROR_CODES, replyError } from './reply/reply-failure';
export type { ReplyAside, ReplyListener } from './reply/reply-listener';
export type {
  AbandonedReply,
  OnlyAbandoned,
  PromptRoom,
  RebuiltReply,
  Released,
  ReplyOrigin,
  ReplyPlace,
} from './reply/reply-origin';
export { ReplyPlaces } from './reply/reply-places';
export {
  FINISH_REASONS,
  type FinishReason,
  REPLY_STATUSES,
  type ReplyFailure,
  ReplyRow,
  type ReplyStatus,
} from './reply/reply-row';
export type { ToolNews } from './reply/reply-step';
export { isCompaction, noSteps, type ReplyStep, stepsOf, type StepWriter } from './reply/reply-steps';
export type { StartedReply } from './reply/running-reply';
export type { StoredAttempt } from './reply/stored-attempt';
export {
  featuresOf,
  fileHashes,
  fileNames,
  isBinary,
  isStoredFile,
  loadTurn,
  loadTurns,
  namesOfCalls,
  namesOfFiles,
  type StoredFile,
  type StoredPart,
  storeParts,
} from './reply/stored-parts';
export { MESSAGE_ROLES, type MessageRole, type Turn, type TurnPart, wordsOf } from './reply/turn';
export type { Ended, EndedRow, WrittenReply } from './reply/written-reply';
export { modelParameters } from './running/generation-request';
export { ReplyRegistry } from './running/reply-registry';
export { type BegunReply, ReplyStarter } from './starting/reply-starter';
export { type Generation, Generations } from './stateless/generations.service';
