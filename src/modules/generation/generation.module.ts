import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { BlobStoreModule } from '../../integrations/blob-store/blob-store.module';
import { LlmModule } from '../../integrations/llm/llm.module';
import { AgentModule } from '../agent/agent.api';
import { ApiKeyModule } from '../api-key/api-key.api';
import { BudgetModule } from '../budget/budget.api';
import { GroupModule } from '../group/group.api';
import { GuardModule } from '../guard/guard.api';
import { HoldModule } from '../hold/hold.api';
import { PricingModule } from '../pricing/pricing.api';
import { RetentionModule } from '../retention/retention.api';
import { ToolModule } from '../tool/tool.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { ActingConfig } from './acting/acting.config';
import { ACTING_EVENTS } from './acting/acting.events';
import { ActingDriver } from './acting/acting-driver';
import { ActingLoop } from './acting/acting-loop';
import { ToolApprovalEntity } from './acting/approvals/tool-approval.entity';
import { ToolApprovals } from './acting/approvals/tool-approvals';
import { UserApprovalsController } from './acting/approvals/user-approvals.controller';
import { CallResults } from './acting/calling/call-results';
import { DecidedCalls } from './acting/calling/decided-calls';
import { ProposedCalls } from './acting/calling/proposed-calls';
import { ToolCaller } from './acting/calling/tool-caller';
import { ToolSpans } from './acting/calling/tool-spans';
import { CutRounds } from './acting/cut-rounds';
import { actionAudit } from './acting/deciding/action.audit';
import { Approvers } from './acting/deciding/approvers';
import { ConnectActions } from './acting/deciding/connect-actions';
import { DecisionReader } from './acting/deciding/decision-rules';
import { AnswerSeal } from './acting/questions/answer-seal';
import { CallQuestions, OpenQuestions } from './acting/questions/open-questions';
import { ReplyDrivers } from './acting/reply-drivers';
import { ReplyResumer } from './acting/reply-resumer';
import { ReplyRoundsEntity } from './acting/reply-rounds.entity';
import { ActionLists, RoundStore } from './acting/round.store';
import { ToolAttention } from './acting/statistics/tool-attention';
import { ToolStatistics } from './acting/statistics/tool-statistics';
import { ToolTimes } from './acting/statistics/tool-times';
import { ToolDecisions } from './acting/tool-decisions';
import { ToolOffer } from './acting/tool-offer';
import { WaitingReplies } from './acting/waiting-replies';
import { OpenActions } from './actions/shown-action';
import { ToolActionEntity } from './actions/tool-action.entity';
import { ToolCallEntity } from './actions/tool-call.entity';
import { AbandonedHolds, CrashRecovery } from './cluster/crash-recovery';
import { InstanceHeartbeat } from './cluster/instance-heartbeat';
import { LostReplies } from './cluster/lost-replies';
import { ReplyFollower } from './cluster/reply-follower';
import { ReplyLife, ReplyLocator } from './cluster/reply-locator';
import { ReplyOwnerEntity } from './cluster/reply-owner.entity';
import { InstanceChannels, ReplyRelay } from './cluster/reply-relay';
import { ReplyStopper, RequestedStops } from './cluster/reply-stopper';
import { AbandonedRequests } from './ending/abandoned-requests';
import { CostMeter, UsageMeter } from './ending/cost-meter';
import { ReplyEndStore } from './ending/reply-end.store';
import { FailureLog, ReplyFinisher } from './ending/reply-finisher';
import { ExpiredFailures } from './failures/expired-failures';
import { FailedReplies } from './failures/failed-replies';
import { FailedReplyEntity } from './failures/failed-reply.entity';
import { FailuresController } from './failures/failures.controller';
import { FailuresService } from './failures/failures.service';
import { ModelReliability } from './failures/model-reliability';
import { GenerationConfig } from './generation.config';
import { GenerationEntity } from './generation.entity';
import { GenerationPersonalData } from './generation.personal-data';
import { GenerationRetention } from './generation.retention';
import { ReplyGuards } from './guarding/reply-guards';
import { IdempotencyService } from './idempotency/idempotency.service';
import { IdempotencyKeyEntity } from './idempotency/idempotency-key.entity';
import { InputFilesModule } from './input-files/input-files.module';
import { EmbeddingPayments } from './paying/embedding-payments';
import { ReplyBudget } from './paying/reply-budget';
import { RequestEstimates } from './paying/request-estimates';
import { SidePayments } from './paying/side-payments';
import { ReplyPieceEntity } from './pieces/reply-piece.entity';
import { ReplyPieces } from './pieces/reply-pieces';
import { CompactionSeal } from './prompt/compaction/compaction-seal';
import { ReplyCompactor } from './prompt/compaction/reply-compactor';
import { PromptBuilder } from './prompt/prompt-builder';
import { CallerRights } from './reading/caller-rights';
import { ReplyPings, ReplyStreams, ReplyTiming } from './reading/reply-streams';
import { RelayDriver } from './relaying/relay-driver';
import { CitedNames } from './reply/cited-names';
import { ReplyKnowledge } from './reply/reply-knowledge';
import { ReplyTables } from './reply/reply-origin';
import { ReplyRegistry } from './reply/reply-registry';
import { ReplySpans } from './reply/reply-spans';
import { ModelCaller, PlainDriver } from './running/model-caller';
import { ReplyDrain } from './running/reply-drain';
import { ReplyFlusher } from './running/reply-flusher';
import { ReplyRunner } from './running/reply-runner';
import { InputGuard } from './starting/input-guard';
import { Replies } from './starting/replies';
import { ReplyStarter } from './starting/reply-starter';
import { RunningLimit } from './starting/running-limit';
import { TrialGuard } from './starting/trial-guard';
import { GenerationPlace, Generations } from './stateless/generations.service';
import { Relays } from './stateless/relays.service';

/** Providers for other modules, which start, read, find and stop replies. */
const SHARED = [
  ActionLists,
  CitedNames,
  CompactionSeal,
  ConnectActions,
  Generations,
  InstanceHeartbeat,
  Relays,
  IdempotencyService,
  InputGuard,
  ReplyGuards,
  PromptBuilder,
  Replies,
  ReplyKnowledge,
  ReplyLocator,
  ReplyPieces,
  ReplyTables,
  ReplyRegistry,
  ReplyBudget,
  ReplyDrivers,
  ReplySpans,
  ReplyStarter,
  ReplyStopper,
  CallerRights,
  ReplyStreams,
  ReplyTiming,
  WaitingReplies,
  ToolApprovals,
  ToolDecisions,
  ToolOffer,
  ToolTimes,
  ToolAttention,
  ToolStatistics,
];

/**
 * Generates replies: calls models, streams their text to readers, survives crashes and counts usage. It does not depend
 * on conversations: modules that own replies implement `NewReply`, `ReplyOrigin` and `ReplyTable`. docs/chat.md
 * describes the path of a reply.
 *
 * - `reply/` has the data types. `prompt/` builds prompts, `running/` writes replies, `relaying/` relays them byte for
 *   byte, `pieces/` stores the growth of long replies, `ending/` stores the end, `reading/` serves readers, `cluster/`
 *   coordinates instances, `idempotency/` recognizes repeated requests.
 * - `acting/` uses all of these: it writes replies in rounds, makes the tool calls of agents and waits for
 *   approvals. `actions/` has the calls and approvals as readers of a reply see them.
 * - `guarding/` applies guards to prompts, results of tools and output.
 * - `failures/` shows administrators why replies failed, and how reliable models were lately.
 * - `paying/` holds and settles the cost of replies in budgets.
 * - `starting/` starts replies. `stateless/` uses `acting/` and serves requests that bring their whole context.
 * - `input-files/` reads the images and files of requests, for all APIs.
 */
@Feature({
  exposes: ['X-Quota-Messages-Remaining', 'X-Quota-Tokens-Remaining', 'X-Cost'],
  configuration: [GenerationConfig, ActingConfig],
  audits: [actionAudit],
  events: ACTING_EVENTS,
  imports: [
    HoldModule,
    RetentionModule,
    TypeOrmModule.forFeature([
      FailedReplyEntity,
      GenerationEntity,
      IdempotencyKeyEntity,
      ReplyOwnerEntity,
      ReplyPieceEntity,
      ToolActionEntity,
      ToolApprovalEntity,
      ToolCallEntity,
      ReplyRoundsEntity,
    ]),
    AgentModule,
    ApiKeyModule,
    BlobStoreModule,
    BudgetModule,
    GroupModule,
    GuardModule,
    InputFilesModule,
    LlmModule,
    PricingModule,
    ToolModule,
    UsageModule,
    UserModule,
  ],
  controllers: [UserApprovalsController, FailuresController],
  providers: [
    ExpiredFailures,
    ...SHARED,
    ActingDriver,
    ActingLoop,
    Approvers,
    AnswerSeal,
    CallQuestions,
    CallResults,
    CostMeter,
    CrashRecovery,
    CutRounds,
    DecidedCalls,
    DecisionReader,
    FailedReplies,
    FailuresService,
    FailureLog,
    AbandonedRequests,
    GenerationPersonalData,
    GenerationPlace,
    GenerationRetention,
    InstanceChannels,
    AbandonedHolds,
    LostReplies,
    ModelCaller,
    ModelReliability,
    OpenActions,
    OpenQuestions,
    PlainDriver,
    RelayDriver,
    ReplyCompactor,
    ReplyDrain,
    ReplyEndStore,
    ReplyFinisher,
    ReplyFlusher,
    ReplyFollower,
    ReplyPings,
    ReplyRelay,
    ProposedCalls,
    ReplyLife,
    ReplyRunner,
    RequestEstimates,
    RequestedStops,
    ReplyResumer,
    RunningLimit,
    EmbeddingPayments,
    SidePayments,
    TrialGuard,
    ToolCaller,
    ToolSpans,
    RoundStore,
    UsageMeter,
  ],
  exports: [...SHARED, EmbeddingPayments, RunningLimit, InputFilesModule],
})
export class GenerationModule {}
