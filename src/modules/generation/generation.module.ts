import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { BlobStoreModule } from '../../integrations/blob-store/blob-store.module';
import { LlmModule } from '../../integrations/llm/llm.module';
import { AgentModule } from '../agent/agent.api';
import { BudgetModule } from '../budget/budget.api';
import { GroupModule } from '../group/group.api';
import { PricingModule } from '../pricing/pricing.api';
import { ToolModule } from '../tool/tool.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { ActingConfig } from './acting/acting.config';
import { ACTING_EVENTS } from './acting/acting.events';
import { ActingLoop } from './acting/acting-loop';
import { ActionLists } from './acting/action-lists';
import { ToolApprovalEntity } from './acting/approvals/tool-approval.entity';
import { ToolApprovals } from './acting/approvals/tool-approvals';
import { AnswerSeal } from './acting/asking/answer-seal';
import { CallQuestions } from './acting/asking/call-questions';
import { OpenQuestions } from './acting/asking/open-questions';
import { CallResults } from './acting/calling/call-results';
import { ProposedCalls } from './acting/calling/proposed-calls';
import { ToolCaller } from './acting/calling/tool-caller';
import { actionAudit } from './acting/deciding/action.audit';
import { Approvers } from './acting/deciding/approvers';
import { ConnectActions } from './acting/deciding/connect-actions';
import { DecisionReader } from './acting/deciding/decision-reader';
import { RunEnds } from './acting/run-ends';
import { RunResumer } from './acting/run-resumer';
import { ToolAttention } from './acting/statistics/tool-attention';
import { ToolStatistics } from './acting/statistics/tool-statistics';
import { ToolTimes } from './acting/statistics/tool-times';
import { ToolActionEntity } from './acting/tool-action.entity';
import { ToolCallEntity } from './acting/tool-call.entity';
import { ToolDecisions } from './acting/tool-decisions';
import { ToolOffer } from './acting/tool-offer';
import { ToolRunEntity } from './acting/tool-run.entity';
import { ToolRunStore } from './acting/tool-run.store';
import { CrashRecovery } from './elsewhere/crash-recovery';
import { InstanceChannels } from './elsewhere/instance-channels';
import { InstanceHeartbeat } from './elsewhere/instance-heartbeat';
import { LeftHolds } from './elsewhere/left-holds';
import { LostReplies } from './elsewhere/lost-replies';
import { ReplyFollower } from './elsewhere/reply-follower';
import { ReplyLife } from './elsewhere/reply-life';
import { ReplyLocator } from './elsewhere/reply-locator';
import { ReplyOwnerEntity } from './elsewhere/reply-owner.entity';
import { ReplyRelay } from './elsewhere/reply-relay';
import { ReplyStopper } from './elsewhere/reply-stopper';
import { RequestedStops } from './elsewhere/requested-stops';
import { CostMeter } from './ending/cost-meter';
import { FailureLog } from './ending/failure-log';
import { LeftAttempts } from './ending/left-attempts';
import { ReplyEndStore } from './ending/reply-end.store';
import { ReplyFinisher } from './ending/reply-finisher';
import { UsageMeter } from './ending/usage-meter';
import { FailedReplies } from './failures/failed-replies';
import { FailedReplyEntity } from './failures/failed-reply.entity';
import { ModelReliability } from './failures/model-reliability';
import { GenerationConfig } from './generation.config';
import { GenerationEntity } from './generation.entity';
import { GenerationPersonalData } from './generation.personal-data';
import { GenerationRetention } from './generation.retention';
import { IdempotencyService } from './idempotency/idempotency.service';
import { IdempotencyKeyEntity } from './idempotency/idempotency-key.entity';
import { InputFilesModule } from './input-files/input-files.module';
import { ReplyBudget } from './paying/reply-budget';
import { RequestEstimates } from './paying/request-estimates';
import { SidePayments } from './paying/side-payments';
import { ReplyPieceEntity } from './pieces/reply-piece.entity';
import { ReplyPieces } from './pieces/reply-pieces';
import { CompactionSeal } from './prompt/compaction/compaction-seal';
import { ReplyCompactor } from './prompt/compaction/reply-compactor';
import { PromptBuilder } from './prompt/prompt-builder';
import { ReplyPings, ReplyTiming } from './reading/reply-pings';
import { ReplyStreams } from './reading/reply-streams';
import { ReplyPlaces } from './reply/reply-places';
import { ReplyDrain } from './running/reply-drain';
import { ReplyFlusher } from './running/reply-flusher';
import { ReplyRegistry } from './running/reply-registry';
import { ReplyRunner } from './running/reply-runner';
import { ReplyStarter } from './starting/reply-starter';
import { RunningLimit } from './starting/running-limit';
import { GenerationPlace } from './stateless/generation-place';
import { Generations } from './stateless/generations.service';

/** What others build on: beginning, reading, finding and stopping replies. */
const SHARED = [
  ActionLists,
  CompactionSeal,
  ConnectActions,
  FailedReplies,
  Generations,
  IdempotencyService,
  ModelReliability,
  PromptBuilder,
  ReplyLocator,
  ReplyPieces,
  ReplyPlaces,
  ReplyRegistry,
  ReplyStarter,
  ReplyStopper,
  ReplyStreams,
  RunEnds,
  ToolApprovals,
  ToolDecisions,
  ToolOffer,
  ToolTimes,
  ToolAttention,
  ToolStatistics,
];

/**
 * The engine that writes replies: it asks models, hands their words to readers, survives crashes and counts what was used. It
 * knows no conversation: `ReplyOrigin` and `ReplyPlace` are what it asks of whoever has one. docs/chat.md tells the way of a reply.
 *
 * - `reply/` has the nouns. `prompt/` builds what models are told, `running/` writes, `pieces/` stores what long replies grow by,
 *   `ending/` stores the end, `reading/` answers readers, `elsewhere/` is about several instances, `idempotency/` remembers repeated requests.
 * - `acting/` makes the calls of agents that have tools, and waits for people where they must allow one.
 * - `failures/` keeps for administrators why replies failed, and tells how models have answered lately.
 * - `paying/` holds in budgets what replies may cost, and reckons what they did.
 * - `starting/` is how replies begin. `stateless/` begins those to what programs send whole; conversations begin theirs themselves.
 * - `input-files/` reads the images and files that requests name, whichever API they come by.
 */
@Feature({
  exposes: ['X-Quota-Messages-Remaining', 'X-Quota-Tokens-Remaining', 'X-Cost'],
  configuration: [GenerationConfig, ActingConfig],
  audits: [actionAudit],
  events: ACTING_EVENTS,
  imports: [
    TypeOrmModule.forFeature([
      FailedReplyEntity,
      GenerationEntity,
      IdempotencyKeyEntity,
      ReplyOwnerEntity,
      ReplyPieceEntity,
      ToolActionEntity,
      ToolApprovalEntity,
      ToolCallEntity,
      ToolRunEntity,
    ]),
    AgentModule,
    BlobStoreModule,
    BudgetModule,
    GroupModule,
    InputFilesModule,
    LlmModule,
    PricingModule,
    ToolModule,
    UsageModule,
    UserModule,
  ],
  providers: [
    ...SHARED,
    ActingLoop,
    Approvers,
    AnswerSeal,
    CallQuestions,
    CallResults,
    CostMeter,
    CrashRecovery,
    DecisionReader,
    FailureLog,
    LeftAttempts,
    GenerationPersonalData,
    GenerationPlace,
    GenerationRetention,
    InstanceChannels,
    InstanceHeartbeat,
    LeftHolds,
    LostReplies,
    OpenQuestions,
    ReplyCompactor,
    ReplyDrain,
    ReplyEndStore,
    ReplyFinisher,
    ReplyFlusher,
    ReplyFollower,
    ReplyPings,
    ReplyRelay,
    ReplyTiming,
    ProposedCalls,
    ReplyBudget,
    ReplyLife,
    ReplyRunner,
    RequestEstimates,
    RequestedStops,
    RunResumer,
    RunningLimit,
    SidePayments,
    ToolCaller,
    ToolRunStore,
    UsageMeter,
  ],
  exports: [...SHARED, InputFilesModule],
})
export class GenerationModule {}
