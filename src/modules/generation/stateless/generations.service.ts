import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { GuardPresence } from '../../../common/guard-presence';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { execute } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { DiskFloor } from '../../../integrations/blob-store/disk-floor';
import { TokenBounds } from '../../../integrations/llm/counting/token-bounds';
import { type Agent, AgentService } from '../../agent/agent.api';
import type { CheckLog } from '../../guard/guard.api';
import { UsageService } from '../../usage/usage.api';
import { ReplyDrivers } from '../acting/reply-drivers';
import { RoundStore } from '../acting/round.store';
import { ToolOffer } from '../acting/tool-offer';
import { ReplyLocator } from '../cluster/reply-locator';
import { hasReturnedMessage } from '../ending/reply-end.store';
import { GenerationEntity, questionOf } from '../generation.entity';
import { ReplyUnavailableError } from '../generation.errors';
import type { RepeatableRequest, RequestResult } from '../idempotency/idempotency.service';
import { type MeasureSize, ReplyBudget, sizeOf } from '../paying/reply-budget';
import { PromptBuilder } from '../prompt/prompt-builder';
import { TOKENS_PER_MESSAGE, tokensOfTurn } from '../prompt/prompt-limits';
import {
  type FileSearch,
  type GenerationOptions,
  type GenerationTask,
  NO_COUNTS,
  NO_OPTIONS,
  type Sender,
  type TokenCounts,
} from '../reply/generation-task';
import type { LiveReply } from '../reply/live-reply';
import type { PolicyOverrides } from '../reply/policy-overrides';
import {
  type AbandonedReply,
  type Ended,
  type EndedRow,
  NOTHING_RELEASED,
  type OnlyAbandoned,
  type Released,
  type ReplyTable,
  ReplyTables,
} from '../reply/reply-origin';
import { spanColumns } from '../reply/reply-spans';
import { isCompaction, noSteps } from '../reply/reply-steps';
import type { StartedReply } from '../reply/running-reply';
import type { Turn } from '../reply/stored-parts';
import type { WrittenReply } from '../reply/written-reply';
import { InputGuard } from '../starting/input-guard';
import { type Beginning, type BegunReply, type NewReply, Replies, type StoredIds } from '../starting/replies';
import { ReplyStarter } from '../starting/reply-starter';

const DROP = "DELETE FROM generations WHERE id = ? AND status = 'streaming'";

/** The data with which a stateless reply starts. */
interface StatelessBeginning extends Beginning {
  promptTokens: number;
}

/** A reply to a request that brought its whole context. Its row exists until its end, or for a day. */
class StatelessReply implements NewReply<StatelessBeginning, StoredIds> {
  readonly choosesTurns = false;

  /**
   * @param context the prompt
   * @param keepsSteps whether the reply is stored for repetitions of its request. Otherwise its end deletes its row
   * @param promptTokens tokens of a context that is no longer available
   */
  constructor(
    readonly place: GenerationPlace,
    private readonly context: readonly Turn[],
    readonly keepsSteps: boolean,
    readonly promptTokens: number | null = null,
  ) {}

  async store(manager: EntityManager, { task, promptTokens }: StatelessBeginning, ownerId: string): Promise<StoredIds> {
    const { userId, apiKeyId, agent, options, startedAt } = task;
    const id = await insertRow(manager, GenerationEntity, {
      userId,
      apiKeyId,
      agentId: agent.id,
      promptTokens,
      isRepeatable: this.keepsSteps,
      content: '',
      status: 'streaming',
      ownerId,
      steps: this.keepsSteps && options !== null ? noSteps(options) : null,
      createdAt: startedAt,
      updatedAt: startedAt,
      ...spanColumns(task),
    });
    return { chatId: 0, userMessageId: questionOf(id), messageId: id };
  }

  promptSize(_manager: EntityManager, { task: { relay }, promptTokens }: StatelessBeginning): MeasureSize {
    const { context, place } = this;
    if (relay !== undefined) {
      return () => Promise.resolve(relay.size);
    }
    return (_room, isHard) =>
      Promise.resolve({
        ...sizeOf(context, promptTokens + context.length * TOKENS_PER_MESSAGE),
        countedTokens: isHard ? place.bounds.ofMessages(context) : null,
      });
  }

  turns(): Promise<readonly Turn[]> {
    return Promise.resolve(this.context);
  }

  async storeEnd(manager: EntityManager, { reply: { messageId } }: Ended, row: EndedRow): Promise<boolean> {
    return this.keepsSteps ? store(manager, messageId, row) : (await execute(manager, DROP, [messageId])).affected > 0;
  }

  release(): Promise<Released> {
    return Promise.resolve(NOTHING_RELEASED);
  }

  storeLeast(manager: EntityManager, { messageId }: WrittenReply, row: Partial<EndedRow>): Promise<boolean> {
    return store(manager, messageId, row);
  }

  afterEnd(): void {
    // A stateless reply has no follow-up work.
  }
}

async function store(manager: EntityManager, id: number, row: Partial<EndedRow>): Promise<boolean> {
  return (await updateRows(manager, GenerationEntity, row, "id = ? AND status = 'streaming'", [id])) > 0;
}

/** The table of replies without a conversation. */
@Injectable()
export class GenerationPlace implements ReplyTable {
  readonly entity = GenerationEntity;
  readonly table = 'generations';
  readonly countRunning = "SELECT COUNT(*) FROM generations WHERE status = 'streaming' AND user_id = ?";

  constructor(
    private readonly database: Database,
    private readonly agents: AgentService,
    private readonly usage: UsageService,
    readonly bounds: TokenBounds,
    places: ReplyTables,
  ) {
    places.add(this);
  }

  async ownerOf({ id }: Pick<GenerationEntity, 'id'>): Promise<number> {
    const row = await findRow(this.database.manager, GenerationEntity, { id }, { members: ['id', 'userId'] });
    return row?.userId ?? 0;
  }

  titleOf(): Promise<null> {
    return Promise.resolve(null);
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  async runningOf(userId: number): Promise<number[]> {
    const running = await this.database
      .repository(GenerationEntity)
      .find({ select: { id: true }, where: { userId, status: 'streaming' } });
    return running.map(({ id }) => id);
  }

  async abandoned(onlyAbandoned: OnlyAbandoned): Promise<AbandonedReply[]> {
    const streaming = this.database
      .repository(GenerationEntity)
      .createQueryBuilder('generation')
      .where("generation.status = 'streaming'");
    const rows = await onlyAbandoned(streaming, 'generation').getMany();
    return rows.map((row) => ({ messageId: row.id, ownerId: row.ownerId, rebuild: () => this.rebuild(row) }));
  }

  /** Whether the question was taken from the quota for this reply, and not for an earlier one that was cut off. */
  hasTakenMessage({ id }: GenerationEntity): Promise<boolean> {
    return this.usage.hasTakenMessage(this.database.manager, questionOf(id));
  }

  private async rebuild(row: GenerationEntity): ReturnType<AbandonedReply['rebuild']> {
    const { userId, apiKeyId, agentId, promptTokens, isRepeatable, steps, createdAt } = row;
    const agent = (await this.agents.findManyForDisplay([agentId])).get(agentId);
    if (agent === undefined) {
      throw new Error(`The agent ${agentId} is not there.`);
    }
    const task: GenerationTask = {
      userId,
      tier: 'normal',
      apiKeyId,
      tokensPerDay: null,
      agent,
      language: null,
      customInstructions: '',
      messages: isCompaction(row) ? 0 : (await this.hasTakenMessage(row)) ? 2 : 1,
      endsWithReaders: false,
      // The request's options are not stored, but the tokens of its prompt are.
      options: steps === null ? null : NO_OPTIONS,
      startedAt: createdAt,
      requestId: null,
    };
    return { row, task, origin: new StatelessReply(this, [], isRepeatable, promptTokens) };
  }
}

/** A request that brings the whole context. */
export interface StatelessRequest {
  sender: Sender;
  agent: Agent;
  /** The turns of the prompt. The last one is answered. */
  turns: readonly Turn[];
  options: GenerationOptions;
  /** Identifies repetitions of the request. */
  repeatable: RepeatableRequest;
  /** Whether the turns may contain untrusted content. Absent: no. */
  isTainted?: boolean;
  /** Whether the client sends earlier replies itself. Absent: no. */
  hasClientReplies?: boolean;
  /** Whether it continues the turn of an earlier request, so that it does not count as a message. Absent: no. */
  continuesTurn?: boolean;
  /** Whether the model's calls of the agent's tools are not made if it also calls the client's. Absent: no. */
  endsAtClientCall?: boolean;
  /** Called in the transaction in which the reply starts. */
  onBegin?: (stored: Pick<GenerationEntity, 'id' | 'createdAt'>) => void;
  /** The search of documents that the request defines. Absent: none. */
  fileSearch?: FileSearch | undefined;
  /** How the request tightens the agent's policies. Absent: not at all. */
  tightening?: PolicyOverrides;
  /** Stores additional data of the end in the same transaction. A crash may skip it. */
  keepEnd?: GenerationTask['keepEnd'];
  /** The checks of guards that have seen the input. Absent: they check the turns. */
  checks?: CheckLog | undefined;
  /** How the reply is relayed. The turns are then empty. Absent: the service itself calls the model. */
  relay?: GenerationTask['relay'];
}

/**
 * Serves requests that bring their whole context. Only their usage is stored; with an `Idempotency-Key` the reply is
 * stored for a day. This file stores their start, `ReplyRunner` writes them, and `ReplyEndStore` stores their end.
 */
@Injectable()
export class Generations {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly prompt: PromptBuilder,
    private readonly starter: ReplyStarter,
    private readonly replies: Replies,
    private readonly place: GenerationPlace,
    private readonly locator: ReplyLocator,
    private readonly disk: DiskFloor,
    private readonly offer: ToolOffer,
    private readonly rounds: RoundStore,
    private readonly budget: ReplyBudget,
    private readonly drivers: ReplyDrivers,
    private readonly guards: GuardPresence,
    private readonly guard: InputGuard,
  ) {}

  /**
   * Starts the reply, which is stopped when its last reader leaves. A request whose key was already served returns the
   * same reply, unless a crash cut that reply off: then a new one starts.
   *
   * @throws IdempotencyConflictError, ContextTooLongError, FeatureNotSupportedError, QuotaExceededError,
   *   TooManyConcurrentError, BudgetExceededError, ModelNotPricedError, ServiceUnavailableError while the process shuts
   *   down
   */
  async start(generation: StatelessRequest): Promise<StartedReply> {
    return this.starter.start(
      generation.repeatable,
      async (cut) => {
        const checks = generation.checks ?? (await this.checksOf(generation));
        const isCounted = generation.continuesTurn === true || (cut !== null && (await this.isCounted(cut)));
        const task = await this.taskOf(generation, isCounted ? 1 : 2);
        await this.budget.count(task, generation.turns);
        const promptTokens =
          generation.relay?.size.tokens ??
          generation.turns.reduce((sum, turn) => sum + tokensOfTurn(turn, task.tokenCounts), 0);
        const begun = await this.replies.write((manager) => this.begin(manager, generation, task, promptTokens));
        checks?.moveTo(begun.reply.guardChecks);
        return begun;
      },
      ({ messageId }) => this.find(messageId),
    );
  }

  /** Guards check the whole context, because all of it comes from the client. @throws ContentBlockedError */
  private async checksOf({ sender, agent, turns, options }: StatelessRequest): Promise<CheckLog | undefined> {
    if (!this.guards.isAny) {
      return undefined;
    }
    return this.guard.requireAllowed(sender, {
      agent,
      chatId: null,
      language: null,
      turns,
      instructions: [options.instructions],
    });
  }

  /** Whether tools returned untrusted content in a conversation. */
  async hasOutside(chatId: number): Promise<boolean> {
    return (await this.rounds.outsideSources({ chatId, messageId: 0 })).size > 0;
  }

  /**
   * Refuses a request early, before the caller fetches or decodes files. A request that was served before is accepted.
   *
   * @throws QuotaExceededError, TooManyConcurrentError, IdempotencyConflictError, ServiceUnavailableError when the disk
   *   has no room for files
   */
  async requireQuota({ sender, repeatable }: Pick<StatelessRequest, 'sender' | 'repeatable'>): Promise<void> {
    if (await this.starter.requireQuota(sender, repeatable)) {
      await this.disk.requireSpace();
    }
  }

  /** Validates the context. Exact counting happens here, outside of the transaction, which must not wait for it. */
  private async taskOf(generation: StatelessRequest, messages: 1 | 2): Promise<GenerationTask> {
    const { sender, agent, turns, options, tightening, keepEnd, relay, ...facts } = generation;
    const { hasClientReplies, endsAtClientCall, fileSearch } = facts;
    const isCut = options.compaction === 'only';
    const wish = { tightening, hasClientReplies, endsAtClientCall, fileSearch };
    const task: GenerationTask = {
      ...sender,
      agent,
      language: null,
      customInstructions: '',
      messages: isCut ? 0 : messages,
      endsWithReaders: true,
      options,
      ...(!isCut && (await this.offer.of(agent, sender.userId, { ...wish, asked: options, isAlone: true }))),
      keepEnd,
      ...(relay && { relay }),
      startedAt: this.clock.now(),
    };
    this.prompt.requireFeatures(
      task,
      turns.map(({ parts }) => parts),
    );
    return isCut ? task : { ...task, tokenCounts: await this.countLongTexts(task, turns.at(-1)?.content ?? '') };
  }

  /** Only very long questions need an exact count; estimates decide otherwise. @throws ContextTooLongError */
  private async countLongTexts(task: GenerationTask, question: string): Promise<TokenCounts> {
    const texts = this.prompt.textsToCount(task, question);
    if (texts.length === 0) {
      return NO_COUNTS;
    }
    const tokenCounts = await this.prompt.count(texts);
    this.prompt.textsToCount({ ...task, tokenCounts }, question);
    return tokenCounts;
  }

  private async begin(
    manager: EntityManager,
    { turns, repeatable, isTainted, onBegin, relay }: StatelessRequest,
    task: GenerationTask,
    promptTokens: number,
  ): Promise<BegunReply> {
    const stateless = new StatelessReply(this.place, turns, repeatable.key !== null, relay?.size.tokens);
    const beginning = { task, repeatable, promptTokens, messageCount: 2 };
    const begun = await this.replies.begin(manager, stateless, beginning, this.drivers.driverFor(task));
    onBegin?.({ id: begun.reply.messageId, createdAt: task.startedAt });
    begun.reply.hasUntrustedPrompt = isTainted === true || task.acting?.isTainted === true;
    return begun;
  }

  /** Whether the question of an earlier request whose reply was cut off still counts for the quota. */
  private async isCounted({ messageId }: RequestResult): Promise<boolean> {
    const cut = await findRow(this.database.manager, GenerationEntity, { id: messageId ?? 0 });
    return cut !== null && (!hasReturnedMessage(cut) || !(await this.place.hasTakenMessage(cut)));
  }

  /** The reply of an earlier request with the same key. */
  private async find(messageId: number | null): Promise<LiveReply> {
    const found = messageId === null ? null : await this.locator.find(messageId);
    if (found === null) {
      throw new ReplyUnavailableError();
    }
    return found;
  }
}
