import { Injectable } from '@nestjs/common';
import { addParts, addUsage, NO_USAGE, type ReplyTokenUsage, tokenUsage } from '../../../common/token-usage';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import type { ProviderUsage } from '../../../integrations/llm/port/provider-usage';
import { toReplyUsage } from '../../../integrations/llm/port/reply-usage';
import { PromptBuilder } from '../prompt/prompt-builder';
import type { GenerationOutcome } from '../reply/generation-outcome';
import type { RunningReply } from '../reply/running-reply';

type Counted = Omit<ReplyTokenUsage, 'isEstimated' | 'model'>;

/** What a reply used. */
export interface MeteredUsage {
  usage: ReplyTokenUsage;
  /** Whether its user is not charged for it: see `isFreeOfCharge`. */
  isFree: boolean;
}

/** Finds out how many tokens a reply used: the provider says it, or they are counted here. */
@Injectable()
export class UsageMeter {
  constructor(
    private readonly prompt: PromptBuilder,
    private readonly tokenCounter: TokenCounter,
    private readonly models: LanguageModels,
  ) {}

  /** What the reply itself used, without what shortening its conversation cost. */
  async ofReply(reply: RunningReply, outcome: GenerationOutcome): Promise<MeteredUsage> {
    const isFree = isFreeOfCharge(reply, outcome);
    const model = outcome.model ?? (isFree ? null : this.askedModel(reply));
    if (outcome.usage !== null) {
      return { usage: { ...toReplyUsage(outcome.usage), isEstimated: false, model }, isFree: false };
    }
    if (isFree) {
      // After earlier rounds nothing is added to what they used, and so nothing that was counted here.
      const isEstimated = reply.earlier === null;
      return { usage: { ...NO_USAGE, cached: 0, reasoning: 0, isEstimated, model }, isFree };
    }
    const counted = await this.count(reply, toldOf(reply));
    return { usage: { ...counted, isEstimated: true, model }, isFree };
  }

  /** What is known of a request whose instance died: its prompt, and what is stored of its answer. */
  ofCut(reply: RunningReply): Promise<Counted> {
    return this.count(reply, null);
  }

  /** Tokens of the prompt, counted here. */
  async promptOf(reply: RunningReply): Promise<number> {
    return reply.origin.promptTokens ?? this.countPrompt(reply);
  }

  /** The model that was asked, when it did not say its name. */
  private askedModel({ requests, task: { agent } }: RunningReply): string | null {
    const asked = requests.findLast(({ kind }) => kind === 'reply')?.asked.model;
    if (asked !== undefined && asked !== '') {
      return asked;
    }
    return this.models.lookUp({ provider: agent.provider, model: agent.model }).model;
  }

  /** What the provider told early is kept; the rest is counted. */
  private async count(reply: RunningReply, told: ProviderUsage | null): Promise<Counted> {
    const { text, reasoning, toolCalls } = reply.fresh;
    const spoken = [text, ...toolCalls.flatMap((call) => [call.name, call.arguments])].filter((words) => words !== '');
    const [prompt, words, thoughts] = await Promise.all([
      told?.prompt_tokens ?? this.promptOf(reply),
      this.tokenCounter.countAll(spoken),
      reasoning === '' ? 0 : this.tokenCounter.count(reasoning),
    ]);
    const completion = words.reduce((sum, count) => sum + count, thoughts);
    return {
      ...tokenUsage(prompt, Math.max(completion, told?.completion_tokens ?? 0)),
      cached: told?.cached_tokens ?? 0,
      cacheWrite: told?.cache_write_tokens ?? 0,
      reasoning: Math.max(thoughts, told?.reasoning_tokens ?? 0),
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

/** What the provider of the running request has told by now. */
function toldOf({ requests }: RunningReply): ProviderUsage | null {
  const last = requests.at(-1);
  return last?.kind === 'reply' ? last.asked.usage : null;
}

/** What shortening the conversation cost counts, whatever became of the reply. */
export function withSpent(usage: ReplyTokenUsage, spent: ReplyTokenUsage | null): ReplyTokenUsage {
  if (spent === null) {
    return usage;
  }
  return {
    ...addUsage(usage, spent),
    ...addParts(usage, spent),
    isEstimated: usage.isEstimated || spent.isEstimated,
    model: usage.model ?? spent.model,
  };
}

/**
 * Whether the user is not charged: the model failed, or the service was interrupted, before a word. Who ends a reply pays for
 * the prompt, because the provider has been sent it; otherwise asking and stopping would cost nothing, again and again.
 */
function isFreeOfCharge({ fresh, isAsked, run }: RunningReply, { status }: GenerationOutcome): boolean {
  const isEmpty = fresh.text === '' && fresh.toolCalls.length === 0 && fresh.reasoning === '';
  // A run that waits, or ends by a limit, has asked nobody since its last round.
  const isAnswer = status === 'completed' && (run === null || isAsked);
  return isEmpty && !isAnswer && !(status === 'stopped' && isAsked);
}
