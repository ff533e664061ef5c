import { Injectable, Logger } from '@nestjs/common';
import { counter } from '../../../common/metrics/metrics';
import { ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import { providerSentence } from '../../../integrations/llm/providers/provider-outcome';
import type { GenerationOutcome } from '../reply/generation-outcome';
import type { RunningReply } from '../reply/running-reply';

/** Models that the metric counts by name. Agents may name more over time than a metric should have. */
const MOST_MODELS = 500;
const OTHER = 'other';

/** Tells operators of each failed reply once: in the log, with all facts about the cause, and in a metric. */
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
      // A provider's sentence is short and without keys here. A fault of ours needs its stack.
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
