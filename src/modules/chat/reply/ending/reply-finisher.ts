import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { beginningOf } from '../../../../common/text/surrogate-pairs';
import { addUsage, NO_USAGE, type ReplyTokenUsage, tokenUsage } from '../../../../common/token-usage';
import { Database } from '../../../../database/database';
import { TokenCounter } from '../../../../integrations/llm/counting/token-counter';
import { LanguageModels } from '../../../../integrations/llm/language-models';
import { ContextTooLongError } from '../../../../integrations/llm/port/llm.errors';
import { isPassingFault } from '../../messages/reply-failure';
import { PromptBuilder } from '../prompt-builder';
import type { ReplyEnd } from '../reply-end';
import { failedOutcome, type GenerationOutcome, type RunningReply } from '../running-reply';
import type { KeptTexts } from './ended-reply';
import { ReplyEndStore } from './reply-end.store';

/** Milliseconds between attempts to store an ended reply; the last value repeats. */
const RETRY_DELAYS = [100, 500, 1_000, 2_000, 5_000];

/** Text that any database takes in one statement, in UTF-16 units: at most 750 KB. */
const SURELY_STORED = 250_000;

type Counted = Pick<ReplyTokenUsage, 'prompt' | 'completion' | 'total' | 'reasoning'>;

/** Finds out how many tokens a reply used: the provider says it, or they are counted here. */
@Injectable()
export class UsageMeter {
  constructor(
    private readonly prompt: PromptBuilder,
    private readonly tokenCounter: TokenCounter,
    private readonly models: LanguageModels,
  ) {}

  async of(reply: RunningReply, outcome: GenerationOutcome): Promise<ReplyTokenUsage> {
    const usage = await this.ofReply(reply, outcome);
    return reply.spent === null ? usage : withSpent(usage, reply.spent);
  }

  private async ofReply(reply: RunningReply, outcome: GenerationOutcome): Promise<ReplyTokenUsage> {
    const model = outcome.model ?? (isFree(reply, outcome) ? null : this.askedModel(reply));
    if (outcome.usage === null) {
      return { ...(await this.count(reply, outcome)), cached: 0, isEstimated: true, model };
    }
    const { prompt_tokens, completion_tokens, cached_tokens: cached, reasoning_tokens: reasoning } = outcome.usage;
    return { ...tokenUsage(prompt_tokens, completion_tokens), cached, reasoning, isEstimated: false, model };
  }

  /** The model that was asked, when it did not say its name. */
  private askedModel({ task: { agent } }: RunningReply): string | null {
    return this.models.lookUp({ provider: agent.provider, model: agent.model }).model;
  }

  private async count(reply: RunningReply, outcome: GenerationOutcome): Promise<Counted> {
    if (isFree(reply, outcome)) {
      return { ...NO_USAGE, reasoning: 0 };
    }
    const { text, toolCalls, task } = reply;
    const spoken = [text, ...toolCalls.flatMap((call) => [call.name, call.arguments])].filter((words) => words !== '');
    const [prompt, words, reasoning] = await Promise.all([
      task.promptTokens ?? this.countPrompt(reply),
      this.tokenCounter.countAll(spoken),
      reply.reasoning === '' ? 0 : this.tokenCounter.count(reply.reasoning),
    ]);
    return {
      ...tokenUsage(
        prompt,
        words.reduce((sum, count) => sum + count, reasoning),
      ),
      reasoning,
    };
  }

  private async countPrompt(reply: RunningReply): Promise<number> {
    try {
      return await this.tokenCounter.countConversation(await this.prompt.build(reply), reply.task.wishes?.tools);
    } catch (error) {
      // What had to be whole was told while there was room for it. By now the model may be known to have less.
      if (error instanceof ContextTooLongError) {
        return Number(error.details.tokens ?? error.details.limit ?? 0);
      }
      throw error;
    }
  }
}

/** What shortening the conversation cost counts, whatever became of the reply. */
function withSpent(usage: ReplyTokenUsage, spent: ReplyTokenUsage): ReplyTokenUsage {
  return {
    ...addUsage(usage, spent),
    cached: usage.cached + spent.cached,
    reasoning: usage.reasoning + spent.reasoning,
    isEstimated: usage.isEstimated || spent.isEstimated,
    model: usage.model ?? spent.model,
  };
}

/**
 * Brings the end of a reply into the database, whatever faults the database has. What is stored, and in which order, is in
 * `ReplyEndStore`.
 *
 * This folder is about the end of a reply: `UsageMeter` counts its tokens, `FailureLog` tells operators why it failed.
 */
@Injectable()
export class ReplyFinisher {
  private readonly logger = new Logger(ReplyFinisher.name);
  private readonly reported = new WeakSet<RunningReply>();

  constructor(
    private readonly database: Database,
    private readonly store: ReplyEndStore,
    private readonly usage: UsageMeter,
  ) {}

  /**
   * Stores the end of a reply. When another instance has ended it meanwhile, that end counts. A reply that the database
   * never accepts as it is ends as failed, with as much of its text as can be stored.
   *
   * @throws faults that pass by themselves, such as a database that is away
   */
  async finish(reply: RunningReply, outcome: GenerationOutcome): Promise<ReplyEnd> {
    try {
      return await this.storeAll(reply, outcome, reply);
    } catch (error) {
      if (isPassingFault(error)) {
        throw error;
      }
      this.report(reply, error);
      return await this.storeWhatCanBe(reply, { ...failedOutcome(error), usage: outcome.usage });
    }
  }

  /** As `finish`, but waits while the database is away: nobody hears of the end before it is stored. */
  async finishSurely(reply: RunningReply, outcome: GenerationOutcome): Promise<ReplyEnd> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.finish(reply, outcome);
      } catch (error) {
        if (attempt === 0) {
          this.logger.warn({ message_id: reply.messageId, error }, 'An ended reply cannot be stored yet.');
        }
        await delay(RETRY_DELAYS[Math.min(attempt, RETRY_DELAYS.length - 1)]);
      }
    }
  }

  private async storeWhatCanBe(reply: RunningReply, failed: GenerationOutcome): Promise<ReplyEnd> {
    const kept = {
      text: beginningOf(reply.text, Math.max(reply.flushedLength, SURELY_STORED)),
      reasoning: beginningOf(reply.reasoning, Math.max(reply.flushedReasoning, SURELY_STORED)),
    };
    try {
      return await this.storeAll(reply, failed, kept);
    } catch (error) {
      if (isPassingFault(error)) {
        throw error;
      }
      return await this.database.write((manager) => this.store.storeLeast(manager, reply, failed));
    }
  }

  /** Reports once, however often storing is tried. */
  private report(reply: RunningReply, error: unknown): void {
    if (!this.reported.has(reply)) {
      this.reported.add(reply);
      this.logger.error({ message_id: reply.messageId, error }, 'A reply cannot be stored as it ended.');
    }
  }

  private async storeAll(reply: RunningReply, outcome: GenerationOutcome, kept: KeptTexts): Promise<ReplyEnd> {
    const usage = await this.usage.of(reply, outcome);
    return this.database.write((manager) => this.store.store(manager, reply, outcome, usage, kept));
  }
}

/**
 * Whether the user is not charged: the model failed, or the service was interrupted, before a word. Who ends a reply pays for
 * the prompt, because the provider has been sent it; otherwise asking and stopping would cost nothing, again and again.
 */
function isFree({ isEmpty, reasoning, isAsked }: RunningReply, { status }: GenerationOutcome): boolean {
  return isEmpty && reasoning === '' && status !== 'completed' && !(status === 'stopped' && isAsked);
}
