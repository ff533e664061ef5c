import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { insertRow } from '../../../database/statements/insert';
import { DiskFloor } from '../../../integrations/blob-store/disk-floor';
import type { Agent } from '../../agent/agent.api';
import { type QuotaRemaining, UsageService } from '../../usage/usage.api';
import { ToolOffer } from '../acting/tool-offer';
import type { Tightening } from '../acting/tool-policy';
import { ReplyLocator } from '../elsewhere/reply-locator';
import { GenerationEntity, questionOf } from '../generation.entity';
import { ReplyUnavailableError } from '../generation.errors';
import type { RepeatableRequest } from '../idempotency/idempotency.service';
import type { ToldSize } from '../paying/reply-budget';
import { PromptBuilder } from '../prompt/prompt-builder';
import { TOKENS_PER_MESSAGE, tokensOfTurn } from '../prompt/prompt-limits';
import type { GenerationOptions } from '../reply/generation-options';
import { type CountedTexts, type GenerationTask, NOTHING_COUNTED, type Sender } from '../reply/generation-task';
import type { LiveReply } from '../reply/live-reply';
import { noSteps } from '../reply/reply-steps';
import type { StartedReply } from '../reply/running-reply';
import type { Turn } from '../reply/turn';
import { type BegunReply, ReplyStarter } from '../starting/reply-starter';
import { GenerationPlace } from './generation-place';
import { StatelessOrigin } from './stateless-origin';

/** What a program asks for that sends the whole context. */
export interface Generation {
  sender: Sender;
  agent: Agent;
  /** What the model is told; the last one is answered. */
  turns: readonly Turn[];
  options: GenerationOptions;
  /** Recognizes a repetition of the request. */
  repeatable: RepeatableRequest;
  /** Whether others may have said what stands in the turns; absent: not. */
  hasWordsOfOthers?: boolean;
  /** Told in the transaction in which it begins. */
  onBegin?: (stored: Pick<GenerationEntity, 'id' | 'createdAt'>) => void;
  /** How it tightens the policies of the agent; absent: not at all. */
  tightening?: Tightening;
  /** Stores what its entry keeps of the end, in that transaction. A crash may leave it out. */
  keepEnd?: GenerationTask['keepEnd'];
}

/**
 * Replies to what programs send whole. Nothing of them stays but what was used; with an `Idempotency-Key` the answer stays for
 * a day. This file is their beginning; `ReplyRunner` goes on from there, and `ReplyEndStore` is their end.
 */
@Injectable()
export class Generations {
  constructor(
    private readonly clock: Clock,
    private readonly usage: UsageService,
    private readonly prompt: PromptBuilder,
    private readonly starter: ReplyStarter,
    private readonly place: GenerationPlace,
    private readonly locator: ReplyLocator,
    private readonly disk: DiskFloor,
    private readonly offer: ToolOffer,
  ) {}

  /**
   * Starts the reply; it ends when its last reader leaves. A request whose key was already served gets the same reply again,
   * unless a crash has cut it: then it is done anew.
   *
   * @throws IdempotencyConflictError, ContextTooLongError, FeatureNotSupportedError, QuotaExceededError,
   *   TooManyConcurrentError, BudgetExceededError, ModelNotPricedError, ServiceUnavailableError while the process shuts down
   */
  async start(generation: Generation): Promise<StartedReply> {
    return this.starter.start(
      generation.repeatable,
      async () => {
        const task = await this.taskOf(generation);
        const promptTokens = generation.turns.reduce((sum, turn) => sum + tokensOfTurn(turn, task.counted), 0);
        return this.starter.write((manager) => this.begin(manager, generation, task, promptTokens));
      },
      ({ messageId }) => this.find(messageId),
    );
  }

  /**
   * For entries that fetch or decode files before `start`: refuses what would be refused there, before such work. A request
   * that was served before goes on.
   *
   * @throws QuotaExceededError, TooManyConcurrentError, IdempotencyConflictError, ServiceUnavailableError when the disk has no
   *   room for files
   */
  async requireRoom({ sender, repeatable }: Pick<Generation, 'sender' | 'repeatable'>): Promise<void> {
    if (!(await this.starter.isServed(repeatable))) {
      await this.starter.requireRoom(sender);
      await this.disk.requireRoom();
    }
  }

  /** Checks the context: what is counted exactly for that is counted outside of the transaction, which must not wait for it. */
  private async taskOf({ sender, agent, turns, options, tightening, keepEnd }: Generation): Promise<GenerationTask> {
    const isCut = options.compaction === 'only';
    const task: GenerationTask = {
      ...sender,
      agent,
      language: null,
      customInstructions: '',
      messages: isCut ? 0 : 2,
      endsWithReaders: true,
      options,
      ...(!isCut && (await this.offer.of(agent, sender.userId, { tightening, asked: options, isAlone: true }))),
      keepEnd,
      startedAt: this.clock.now(),
    };
    this.prompt.requireFeatures(
      task,
      turns.map(({ parts }) => parts),
    );
    return isCut ? task : { ...task, counted: await this.countedFor(task, turns.at(-1)?.content ?? '') };
  }

  /** Very few questions are so long that estimates do not decide. @throws ContextTooLongError */
  private async countedFor(task: GenerationTask, question: string): Promise<CountedTexts> {
    const texts = this.prompt.textsToCount(task, question);
    if (texts.length === 0) {
      return NOTHING_COUNTED;
    }
    const counted = await this.prompt.count(texts);
    this.prompt.textsToCount({ ...task, counted }, question);
    return counted;
  }

  private async begin(
    manager: EntityManager,
    { turns, repeatable, hasWordsOfOthers, onBegin }: Generation,
    task: GenerationTask,
    promptTokens: number,
  ): Promise<BegunReply> {
    const { userId, apiKeyId, agent, options, startedAt } = task;
    const isRepeatable = repeatable.key !== null;
    const id = await insertRow(manager, GenerationEntity, {
      userId,
      apiKeyId,
      agentId: agent.id,
      promptTokens,
      isRepeatable,
      content: '',
      status: 'streaming',
      ownerId: this.starter.ownerId,
      steps: isRepeatable && options !== null ? noSteps(options) : null,
      createdAt: startedAt,
      updatedAt: startedAt,
    });
    const quota = await this.takeQuota(manager, task, id);
    const stored = { chatId: 0, userMessageId: questionOf(id), messageId: id };
    await this.starter.admit(manager, task, repeatable, stored);
    const origin = new StatelessOrigin(this.place, turns, isRepeatable);
    const beginning = { ...stored, task, origin, begun: { messageCount: 2, quota } };
    const reply = await this.starter.begin(manager, beginning, () => toldSize(turns, promptTokens));
    onBegin?.({ id, createdAt: startedAt });
    reply.toldOutside = hasWordsOfOthers ?? false;
    return { reply, quota };
  }

  /** It counts as one message. A compaction only needs tokens that are left. */
  private takeQuota(manager: EntityManager, task: GenerationTask, id: number): Promise<QuotaRemaining> {
    const { userId, tier, apiKeyId, tokensPerDay, agent, startedAt: at } = task;
    const spender = { userId, tier, apiKeyId, tokensPerDay };
    const message = { ...spender, chatId: 0, messageId: questionOf(id), agentId: agent.id, at };
    return task.messages > 0
      ? this.usage.recordUserMessage(manager, message)
      : this.usage.requireTokens(manager, spender);
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

function toldSize(turns: readonly Turn[], tokens: number): Promise<ToldSize> {
  const images = turns.flatMap(({ parts }) => parts ?? []).filter(({ type }) => type === 'image').length;
  return Promise.resolve({ tokens: tokens + turns.length * TOKENS_PER_MESSAGE, images });
}
