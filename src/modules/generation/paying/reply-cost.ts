import { Injectable } from '@nestjs/common';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import type { AskedModel } from '../../../integrations/llm/port/language-model-provider';
import { ModelRegistry } from '../../../integrations/llm/providers/model-registry';
import type { SettledCost } from '../../budget/budget.api';
import { PriceBook } from '../../pricing/pricing.api';
import { ReplyCompactor } from '../prompt/compaction/reply-compactor';
import type { GenerationOutcome } from '../reply/generation-outcome';
import type { RunningReply } from '../reply/running-reply';

type Counted = Pick<ReplyTokenUsage, 'prompt' | 'completion' | 'cached' | 'reasoning'>;

/** Reckons what an ended reply has cost. */
@Injectable()
export class ReplyCost {
  constructor(
    private readonly prices: PriceBook,
    private readonly models: ModelRegistry,
    private readonly compactor: ReplyCompactor,
  ) {}

  /** @param usage of all its requests together */
  async of(reply: RunningReply, outcome: GenerationOutcome, usage: ReplyTokenUsage): Promise<SettledCost> {
    const { spent, task } = reply;
    // Whom a dead instance has asked is not known: mostly the first one.
    const asked = reply.asked ?? this.models.candidatesOf(task.agent)[0];
    const summarizer = reply.askedForSummary ?? this.models.candidatesOf(this.compactor.modelsFor(task))[0];
    const own = await this.costOf(asked, reply, spent === null ? usage : without(usage, spent));
    const summary = spent === null ? 0n : await this.costOf(summarizer, reply, spent);
    const cost = own === null || summary === null ? (own ?? summary) : own + summary;
    return { cost, isUncertain: outcome.status === 'interrupted' && (reply.begun === null || reply.isAsked) };
  }

  private async costOf(asked: AskedModel | undefined, { task }: RunningReply, usage: Counted): Promise<bigint | null> {
    const { prompt, completion, cached, reasoning } = usage;
    if (asked === undefined || prompt + completion === 0) {
      return 0n;
    }
    const priced = { prompt, completion, cached, cacheWrite: 0, reasoning, images: 0, requests: 1 };
    return (await this.prices.costOf(asked, task.startedAt, priced)).cost;
  }
}

function without(usage: Counted, spent: Counted): Counted {
  return {
    prompt: usage.prompt - spent.prompt,
    completion: usage.completion - spent.completion,
    cached: usage.cached - spent.cached,
    reasoning: usage.reasoning - spent.reasoning,
  };
}
