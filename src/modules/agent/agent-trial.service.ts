import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../../common/lifecycle';
import { Database } from '../../database/database';
import type { GenerationResult } from '../../integrations/llm/generation-result';
import type { ModelMessage } from '../../integrations/llm/language-model-provider';
import { LanguageModels } from '../../integrations/llm/language-models';
import { ContextTooLongError } from '../../integrations/llm/llm.errors';
import { TokenCounter } from '../../integrations/llm/token-counter';
import { AgentStore } from './agent.store';
import { AgentTrialDto, AgentTrialRequestDto, AgentTrialUsageDto } from './dto/agent-trial.dto';
import { ADDED_TOKENS, AgentEntity, promptLimit } from './entities/agent.entity';

/** Lets administrators hear how an agent answers, drafts too. Nothing is stored and nobody's quota is used. */
@Injectable()
export class AgentTrialService {
  constructor(
    private readonly database: Database,
    private readonly store: AgentStore,
    private readonly languageModels: LanguageModels,
    private readonly tokenCounter: TokenCounter,
    private readonly lifecycle: Lifecycle,
  ) {}

  /**
   * @throws AgentNotFoundError
   * @throws ContextTooLongError when a chat with the agent would refuse the message.
   * @throws ProviderError, ProviderUnavailableError, ProviderTimeoutError
   */
  async answer(id: number, { content, lang }: AgentTrialRequestDto): Promise<AgentTrialDto> {
    this.lifecycle.assertAcceptsWork();
    const agent = await this.store.get(this.database.manager, id);
    await this.assertFits(agent, content);
    const messages = promptOf(agent, content);
    const startedAt = performance.now();
    let firstTokenMs: number | null = null;
    let text = '';
    const result = await this.languageModels.generate(
      {
        provider: agent.provider,
        model: agent.model,
        fallbackModels: agent.fallbackModels,
        parameters: agent.modelParams,
        timeoutSeconds: agent.timeoutSeconds,
        messages,
        language: lang ?? undefined,
      },
      {
        onText: (part) => {
          firstTokenMs ??= Math.round(performance.now() - startedAt);
          text += part;
        },
      },
      new AbortController().signal,
    );
    return {
      content: text,
      finish_reason: result.finishReason,
      provider: result.provider,
      model: result.model,
      token_usage: await this.usageOf(result, messages, text),
      first_token_ms: firstTokenMs,
      duration_ms: Math.round(performance.now() - startedAt),
    };
  }

  private async assertFits(agent: AgentEntity, content: string): Promise<void> {
    const [instructions = 0, message = 0] = await this.tokenCounter.countAll([agent.systemPrompt, content]);
    const tokens = instructions + message + ADDED_TOKENS;
    const limit = promptLimit(agent, this.languageModels.contextTokens(agent, agent.contextMaxTokens));
    if (tokens > limit) {
      throw ContextTooLongError.of(tokens, limit);
    }
  }

  private async usageOf(result: GenerationResult, prompt: ModelMessage[], text: string): Promise<AgentTrialUsageDto> {
    const counted = result.usage ?? {
      prompt_tokens: await this.tokenCounter.countConversation(prompt),
      completion_tokens: await this.tokenCounter.count(text),
      cached_tokens: 0,
      reasoning_tokens: 0,
    };
    return {
      ...counted,
      total_tokens: counted.prompt_tokens + counted.completion_tokens,
      is_estimated: result.usage === null,
      model: result.model,
    };
  }
}

function promptOf(agent: AgentEntity, content: string): ModelMessage[] {
  const question: ModelMessage = { role: 'user', content };
  return agent.systemPrompt === '' ? [question] : [{ role: 'system', content: agent.systemPrompt }, question];
}
