import { Injectable } from '@nestjs/common';
import { LanguageModels } from '../../../../integrations/llm/language-models';
import { TokenCounter } from '../../../../integrations/llm/token-counter';
import type { TokenUsageDto } from '../../dto/token-usage.dto';
import { PromptBuilder } from '../prompt-builder';
import type { RunningReply } from '../running-reply';
import type { GenerationOutcome } from './generation-outcome';

/** Finds out what a reply has used: as the provider says, or counted here when it does not. */
@Injectable()
export class UsageMeter {
  constructor(
    private readonly context: PromptBuilder,
    private readonly tokenCounter: TokenCounter,
    private readonly models: LanguageModels,
  ) {}

  async of(reply: RunningReply, outcome: GenerationOutcome): Promise<TokenUsageDto> {
    const model = outcome.model ?? this.askedModel(reply);
    if (outcome.usage !== null) {
      return { ...outcome.usage, ...sum(outcome.usage), is_estimated: false, model };
    }
    const counted = await this.count(reply, outcome);
    return { ...counted, ...sum(counted), cached_tokens: 0, is_estimated: true, model };
  }

  /** The model that was asked, where it has answered without getting to say its name; null when that is not known. */
  private askedModel(reply: RunningReply): string | null {
    const { model, provider } = reply.task.agent;
    return hasNothing(reply) ? null : this.models.lookUp({ provider, model }).model;
  }

  private async count(reply: RunningReply, outcome: GenerationOutcome): Promise<Counted> {
    // Without a word of the model nobody knows whether it has read the prompt; the user is not charged for it.
    if (hasNothing(reply) && outcome.status !== 'completed') {
      return { prompt_tokens: 0, completion_tokens: 0, reasoning_tokens: 0 };
    }
    const messages = await this.context.build(reply);
    const [prompt_tokens, text_tokens, reasoning_tokens] = await Promise.all([
      this.tokenCounter.countConversation(messages),
      this.tokenCounter.count(reply.text),
      reply.reasoning === '' ? 0 : this.tokenCounter.count(reply.reasoning),
    ]);
    return { prompt_tokens, completion_tokens: text_tokens + reasoning_tokens, reasoning_tokens };
  }
}

type Counted = Pick<TokenUsageDto, 'prompt_tokens' | 'completion_tokens' | 'reasoning_tokens'>;

function hasNothing({ text, reasoning }: RunningReply): boolean {
  return text === '' && reasoning === '';
}

function sum({
  prompt_tokens,
  completion_tokens,
}: Pick<Counted, 'prompt_tokens' | 'completion_tokens'>): Pick<TokenUsageDto, 'total_tokens'> {
  return { total_tokens: prompt_tokens + completion_tokens };
}
