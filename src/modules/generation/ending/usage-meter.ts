import { Injectable } from '@nestjs/common';
import { addUsage, NO_USAGE, type ReplyTokenUsage, tokenUsage } from '../../../common/token-usage';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import { PromptBuilder } from '../prompt/prompt-builder';
import type { GenerationOutcome } from '../reply/generation-outcome';
import type { RunningReply } from '../reply/running-reply';

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
    const { text, toolCalls, origin } = reply;
    const spoken = [text, ...toolCalls.flatMap((call) => [call.name, call.arguments])].filter((words) => words !== '');
    const [prompt, words, reasoning] = await Promise.all([
      origin.promptTokens ?? this.countPrompt(reply),
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
      return await this.tokenCounter.countConversation(await this.prompt.build(reply), reply.task.options?.tools);
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
 * Whether the user is not charged: the model failed, or the service was interrupted, before a word. Who ends a reply pays for
 * the prompt, because the provider has been sent it; otherwise asking and stopping would cost nothing, again and again.
 */
function isFree({ isEmpty, reasoning, isAsked }: RunningReply, { status }: GenerationOutcome): boolean {
  return isEmpty && reasoning === '' && status !== 'completed' && !(status === 'stopped' && isAsked);
}
