import { Injectable, Logger } from '@nestjs/common';
import { handleWhen, IterableBackoff, retry } from 'cockatiel';
import { counter } from '../../../common/metrics/metrics';
import { addAmounts, type Amount, formatAmount } from '../../../common/money/amount';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import { ATTRIBUTES } from '../../../common/tracing/conventions';
import type { SpanAttributes } from '../../../common/tracing/span';
import { Database } from '../../../database/database';
import { ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import { providerSentence } from '../../../integrations/llm/providers/provider-outcome';
import { CostLedger, totalCost } from '../../usage/usage.api';
import { failedOutcome, type GenerationOutcome, type ReplyEnd } from '../reply/reply-end';
import { isPassingFault } from '../reply/reply-failure';
import { RoundsChangedError } from '../reply/reply-rounds';
import type { RunningReply } from '../reply/running-reply';
import { CostMeter, UsageMeter, withSpent } from './cost-meter';
import { type KeptTexts, ReplyEndStore, withEarlier } from './reply-end.store';

/**
 * Maximum number of models that the metric counts by name. Agents may use more over time than a metric should have
 * labels.
 */
const MOST_MODELS = 500;
const OTHER = 'other';

/** Reports each failed reply once to operators: in the log with the facts of the cause, and in a metric. */
@Injectable()
export class FailureLog {
  private readonly logger = new Logger(FailureLog.name);
  private readonly models = new Set<string>();
  private readonly failed = counter('replies_failed_total', 'Replies that failed, by the model that was to answer', [
    'provider',
    'model',
    'reason',
  ]);

  report(reply: RunningReply, { failure, failedModel }: GenerationOutcome, error: unknown): void {
    const { provider = null, model = null, host = null } = failedModel ?? {};
    const code = failure?.code ?? 'INTERNAL_ERROR';
    const isProviders = error instanceof ModelProviderError;
    const facts = {
      request_id: reply.task.requestId,
      chat_id: reply.chatId,
      message_id: reply.messageId,
      user_id: reply.task.userId,
      provider,
      model,
      host,
      code,
      status: isProviders ? error.providerStatus : null,
      // A provider's message is short and has no keys here. A fault of the service needs its stack trace.
      ...(isProviders ? { provider_message: providerSentence(error) } : { error }),
    };
    this.logger.error(facts, 'A reply failed.');
    this.failed.inc({ ...this.labelsOf(provider ?? OTHER, model ?? OTHER), reason: code.toLowerCase() });
  }

  private labelsOf(provider: string, model: string): { provider: string; model: string } {
    const key = `${provider}:${model}`;
    if (!this.models.has(key) && this.models.size >= MOST_MODELS) {
      return { provider, model: OTHER };
    }
    this.models.add(key);
    return { provider, model };
  }
}

/** Milliseconds between attempts to store an ended reply. The last value repeats. */
const RETRY_DELAYS = [100, 500, 1_000, 2_000, 5_000];

const untilStored = retry(
  handleWhen((error) => !(error instanceof RoundsChangedError)),
  { maxAttempts: Infinity, backoff: new IterableBackoff(RETRY_DELAYS) },
);

/** Length of text that every database accepts in one statement, in UTF-16 code units: at most 750 KB. */
const ALWAYS_STORABLE = 250_000;

/**
 * Stores the end of a reply despite database faults. `ReplyEndStore` defines the data and the order.
 *
 * This folder handles the end of a reply: `UsageMeter` counts its tokens, `CostMeter` their cost, `FailureLog` reports
 * failures to operators.
 */
@Injectable()
export class ReplyFinisher {
  private readonly logger = new Logger(ReplyFinisher.name);
  private readonly reported = new WeakSet<RunningReply>();

  constructor(
    private readonly database: Database,
    private readonly store: ReplyEndStore,
    private readonly usage: UsageMeter,
    private readonly costs: CostMeter,
    private readonly ledger: CostLedger,
  ) {}

  /**
   * Stores the end of a reply. If another instance has already ended it, that end applies. A reply that the database
   * never accepts unchanged ends as failed, with as much of its text as can be stored.
   *
   * @throws RoundsChangedError, and temporary faults such as an unavailable database
   */
  async finish(reply: RunningReply, outcome: GenerationOutcome): Promise<ReplyEnd> {
    try {
      return await this.storeAll(reply, outcome, reply);
    } catch (error) {
      if (isPassingFault(error) || error instanceof RoundsChangedError) {
        throw error;
      }
      this.report(reply, error);
      return await this.storeWhatCanBe(reply, { ...failedOutcome(error), usage: outcome.usage });
    }
  }

  /**
   * Like `finish`, but waits while the database is unavailable, because an end is only reported after it is stored.
   *
   * @throws RoundsChangedError
   */
  finishWithRetries(reply: RunningReply, outcome: GenerationOutcome): Promise<ReplyEnd> {
    return untilStored.execute(async ({ attempt }) => {
      try {
        return await this.finish(reply, outcome);
      } catch (error) {
        if (attempt === 0 && !(error instanceof RoundsChangedError)) {
          this.logger.warn({ message_id: reply.messageId, error }, 'An ended reply cannot be stored yet.');
        }
        throw error;
      }
    });
  }

  private async storeWhatCanBe(reply: RunningReply, failed: GenerationOutcome): Promise<ReplyEnd> {
    const kept = {
      text: beginningOf(reply.text, Math.max(reply.inRow.text, ALWAYS_STORABLE)),
      reasoning: beginningOf(reply.reasoning, Math.max(reply.inRow.reasoning, ALWAYS_STORABLE)),
    };
    try {
      return await this.storeAll(reply, failed, kept);
    } catch (error) {
      if (isPassingFault(error)) {
        throw error;
      }
      return await this.database.write((manager) => this.store.storeLeast(manager, reply, failed, kept));
    }
  }

  /** Reports only the first failed attempt. */
  private report(reply: RunningReply, error: unknown): void {
    if (!this.reported.has(reply)) {
      this.reported.add(reply);
      this.logger.error({ message_id: reply.messageId, error }, 'A reply cannot be stored as it ended.');
    }
  }

  private async storeAll(reply: RunningReply, outcome: GenerationOutcome, kept: KeptTexts): Promise<ReplyEnd> {
    const own = await this.usage.ofReply(reply, outcome);
    const costs = await this.ledger.price(await this.costs.of(reply, outcome, own));
    const asked = [...reply.writtenCosts, ...costs];
    // Without requests the cost is unknown, not zero: that of earlier rounds may be unknown.
    const cost = asked.length === 0 && reply.earlier !== null ? null : this.ledger.shown(asked);
    if (reply.span.isRecording) {
      reply.span.set(this.costAttributes(reply, asked));
    }
    const total = withEarlier({ ...withSpent(own.usage, reply.spent), ...cost }, reply.earlier);
    return this.database.write((manager) => this.store.store(manager, reply, outcome, { usage: total, costs }, kept));
  }

  /** The cost of the whole reply. */
  private costAttributes({ rounds }: RunningReply, asked: readonly { cost: Amount | null }[]): SpanAttributes {
    const own = asked.length === 0 && rounds !== null ? null : totalCost(asked);
    return {
      [ATTRIBUTES.messageCost]: formatAmount(addAmounts(rounds?.cost ?? null, own)),
      [ATTRIBUTES.messageCurrency]: this.ledger.currency,
    };
  }
}
