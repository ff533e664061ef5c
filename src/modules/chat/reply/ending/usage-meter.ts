import { Injectable } from '@nestjs/common';
import { NO_USAGE, type ReplyTokenUsage, tokenUsage } from '../../../../common/token-usage';
import { LanguageModels } from '../../../../integrations/llm/language-models';
import { TokenCounter } from '../../../../integrations/llm/token-counter';
import { PromptBuilder } from '../prompt-builder';
import type { GenerationOutcome, RunningReply } from '../running-reply';

type Counted = Pick<ReplyTokenUsage, 'prompt' | 'completion' | 'total' | 'reasoning'>;

/** Finds out what a reply has used: as the provider says, or counted here when it does not. */
@Injectable()
export class UsageMeter {
  constructor(
    private readonly prompt: PromptBuilder,
    private readonly tokenCounter: TokenCounter,
    private readonly models: LanguageModels,
  ) {}

  async of(reply: RunningReply, outcome: GenerationOutcome): Promise<ReplyTokenUsage> {
    const model = outcome.model ?? this.askedModel(reply);
    if (outcome.usage === null) {
      return { ...(await this.count(reply, outcome)), cached: 0, isEstimated: true, model };
    }
    const { prompt_tokens, completion_tokens, cached_tokens: cached, reasoning_tokens: reasoning } = outcome.usage;
    return { ...tokenUsage(prompt_tokens, completion_tokens), cached, reasoning, isEstimated: false, model };
  }

  /** The model that was asked, when it answered but did not say its name; null when it did not answer. */
  private askedModel(reply: RunningReply): string | null {
    const { model, provider } = reply.task.agent;
    return hasNothing(reply) ? null : this.models.lookUp({ provider, model }).model;
  }

  private async count(reply: RunningReply, outcome: GenerationOutcome): Promise<Counted> {
    // Without a word of the model nobody knows whether it has read the prompt: the user is not charged for it.
    if (hasNothing(reply) && outcome.status !== 'completed') {
      return { ...NO_USAGE, reasoning: 0 };
    }
    const messages = await this.prompt.build(reply);
    const [prompt, text, reasoning] = await Promise.all([
      this.tokenCounter.countConversation(messages),
      this.tokenCounter.count(reply.text),
      reply.reasoning === '' ? 0 : this.tokenCounter.count(reply.reasoning),
    ]);
    return { ...tokenUsage(prompt, text + reasoning), reasoning };
  }
}

function hasNothing({ text, reasoning }: RunningReply): boolean {
  return text === '' && reasoning === '';
}
