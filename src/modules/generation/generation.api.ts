/** The exports of this module for other modules. */
export type { RemoteAccess } from '../tool/tool.api';
export { ActionAlreadyDecidedError, ActionNotFoundError, DECISION_FAILURES } from './acting/acting.errors';
export { APPROVAL_SCOPES, type ApprovalScope } from './acting/approvals/tool-approval.entity';
export { ToolApprovals } from './acting/approvals/tool-approvals';
export { actionAudit } from './acting/deciding/action.audit';
export type { DecisionRequest } from './acting/deciding/decision-rules';
export { ReplyDrivers } from './acting/reply-drivers';
export { ActionLists } from './acting/round.store';
export { ToolStatistics } from './acting/statistics/tool-statistics';
export { type ToolTime, ToolTimes } from './acting/statistics/tool-times';
export { type Decided, mayDecide, type ResumeListener, ToolDecisions } from './acting/tool-decisions';
export { ToolOffer } from './acting/tool-offer';
export { combined, isTightening } from './acting/tool-policy';
export { WaitingReplies } from './acting/waiting-replies';
export { callIdOf, canRemember, type ShownAction } from './actions/shown-action';
export {
  ACTION_KINDS,
  ACTION_STATES,
  type ActionKind,
  type ActionState,
  type Decision,
  DECISIONS,
} from './actions/tool-action.entity';
export { InstanceHeartbeat, type KnownInstance } from './cluster/instance-heartbeat';
export { ReplyLocator } from './cluster/reply-locator';
export { ReplyStopper } from './cluster/reply-stopper';
export { hasReturnedMessage } from './ending/reply-end.store';
export { IdempotencyConflictError, REPLY_FAILURES, TooManyConcurrentError } from './generation.errors';
export { GenerationModule } from './generation.module';
export { ReplyGuards } from './guarding/reply-guards';
export { IdempotencyService, type RepeatableRequest, type RequestResult } from './idempotency/idempotency.service';
export { IDEMPOTENCY_KEY, IdempotencyKey } from './idempotency/idempotency-key.decorator';
export {
  FILE_ERRORS,
  FileTooLargeError,
  FileTypeNotSupportedError,
  TooManyFilesError,
} from './input-files/input-file.errors';
export {
  FILE_LIMIT_BYTES,
  FILE_LIMITS,
  type FileReference,
  type FoundContent,
  InputFiles,
  UNKNOWN_FORMAT,
} from './input-files/input-files';
export { type EmbeddingPayer, EmbeddingPayments, type OpenEmbedding } from './paying/embedding-payments';
export { type MeasureSize, ReplyBudget, sizeOf } from './paying/reply-budget';
export { startWithin } from './paying/start-within';
export { ReplyPieces } from './pieces/reply-pieces';
export { CompactionSeal } from './prompt/compaction/compaction-seal';
export { modelParameters, outputLimitOf } from './prompt/generation-request';
export { PromptBuilder } from './prompt/prompt-builder';
export { mostMessages, tokensOfTurn } from './prompt/prompt-limits';
export type { PromptSize } from './prompt/prompt-size';
export { CallerRights } from './reading/caller-rights';
export {
  accompany,
  type HttpExchange,
  ReplyStreams,
  ReplyTiming,
  setCostHeader,
  throwIfFailed,
  untilStored,
} from './reading/reply-streams';
export type { RelayOrder, RelaySink } from './relaying/relay-order';
export { CitedNames } from './reply/cited-names';
export {
  type CompactionOption,
  type FileSearch,
  type GenerationOptions,
  type GenerationTask,
  NO_COUNTS,
  NO_OPTIONS,
  type Sender,
  senderOf,
  type TokenCounts,
} from './reply/generation-task';
export { LiveReply, type ReadFrom, type ReplyAside, type ReplyListener } from './reply/live-reply';
export { MarkReader } from './reply/mark-reader';
export {
  type Citation,
  citationOf,
  citationsOf,
  passagesText,
  ReplyPassages,
  type StoredPassages,
} from './reply/passages';
export { NOT_TIGHTENED, type PolicyOverrides, type SourceRule } from './reply/policy-overrides';
export type { ReplyEnd, ReplyFacts } from './reply/reply-end';
export { isRefusal, REPLY_ERROR_CODES, replyError } from './reply/reply-failure';
export { type KnowledgeSource, ReplyKnowledge } from './reply/reply-knowledge';
export {
  type Ended,
  type EndedRow,
  type OnlyAbandoned,
  type PromptRoom,
  type RebuiltReply,
  type Released,
  type ReplyTable,
  ReplyTables,
} from './reply/reply-origin';
export { ReplyRegistry } from './reply/reply-registry';
export {
  FINISH_REASONS,
  type FinishReason,
  REPLY_STATUSES,
  type ReplyFailure,
  ReplyRow,
  type ReplyStatus,
} from './reply/reply-row';
export { ReplySpans, type ShownTraces, spanColumns } from './reply/reply-spans';
export type { PlacedStep, ToolEvent } from './reply/reply-step';
export { isCompaction, noSteps, type ReplyStep, stepsOf, type StepWriter } from './reply/reply-steps';
export type { StartedReply } from './reply/running-reply';
export {
  fileHashes,
  fileNames,
  isBinary,
  isFromOutside,
  isStoredFile,
  loadTurn,
  loadTurns,
  MESSAGE_ROLES,
  type MessageRole,
  namesOfCalls,
  namesOfFiles,
  requiredFeatures,
  type StoredFile,
  type StoredPart,
  storeParts,
  type Turn,
  type TurnPart,
  withFileTexts,
  wordsOf,
} from './reply/stored-parts';
export type { StoredRequest } from './reply/stored-request';
export type { WrittenReply } from './reply/written-reply';
export { InputGuard } from './starting/input-guard';
export { type Beginning, type BegunReply, type NewReply, Replies, type StoredIds } from './starting/replies';
export { ReplyStarter } from './starting/reply-starter';
export { RunningLimit } from './starting/running-limit';
export { Generations, type StatelessRequest } from './stateless/generations.service';
export {
  IGNORED_TOOLS,
  IGNORED_TOOLS_HEADER,
  listNames,
  WITHHELD_TOOLS,
  WITHHELD_TOOLS_HEADER,
} from './stateless/listed-names';
export { modelToolName } from './stateless/model-tool-name';
export { type RelayedRequest, Relays, type StartedRelay } from './stateless/relays.service';
