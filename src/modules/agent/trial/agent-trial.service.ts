import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../../../common/lifecycle';
import type { Principal } from '../../../common/security/principal';
import { tokenUsage } from '../../../common/token-usage';
import { ADDED_TOKENS, promptRoom } from '../../../integrations/llm/counting/prompt-estimate';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { LanguageModels } from '../../../integrations/llm/language-models';
import { toReplyUsage } from '../../../integrations/llm/port/called-model';
import type { Completion } from '../../../integrations/llm/port/completion';
import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import { SideModels } from '../../../integrations/llm/side-requests';
import type { Agent } from '../catalogue/agent.entity';
import { AgentService } from '../catalogue/agent.service';
import { AgentProviders } from '../catalogue/agent-providers';
import { toDefinition } from '../editing/agent-input';
import { AgentTrialDto, AgentTrialRequestDto, type AgentTrialUsage, toAgentTrialDto } from './agent-trial.dto';

/** Lets administrators try how an agent replies, including drafts. Only the cost is stored, and no quota is used. */
@Injectable()
export class AgentTrialService {
  constructor(
    private readonly agents: AgentService,
    private readonly providers: AgentProviders,
    private readonly languageModels: LanguageModels,
    private readonly sideModels: SideModels,
    private readonly tokenCounter: TokenCounter,
    private readonly lifecycle: Lifecycle,
  ) {}

  /**
   * Settings in the request replace the agent's own.
   *
   * @throws AgentNotFoundError
   * @throws ValidationFailedError for an unknown provider
   * @throws ContextTooLongError if a chat with the agent would refuse the message
   * @throws ProviderError, ProviderUnavailableError, ProviderTimeoutError
   */
  async answer(
    id: number,
    { content, lang, ...settings }: AgentTrialRequestDto,
    { userId, apiKeyId }: Pick<Principal, 'userId' | 'apiKeyId'>,
  ): Promise<AgentTrialDto> {
    this.lifecycle.assertAcceptsWork();
    await this.providers.assertKnown(settings.provider);
    const agent: Agent = { ...(await this.agents.get(id)), ...toDefinition(settings) };
    await this.assertFits(agent, content);
    const messages = promptOf(agent, content);
    const completion = await this.sideModels.complete(
      {
        provider: agent.provider,
        model: agent.model,
        fallbackModels: agent.fallbackModels,
        parameters: agent.modelParams,
        timeoutSeconds: agent.timeoutSeconds,
        messages,
        language: lang ?? undefined,
      },
      { kind: 'trial', userId, apiKeyId, chatId: 0, agentId: id, messageId: null },
    );
    return toAgentTrialDto(completion, await this.usageOf(completion, messages));
  }

  private async assertFits(agent: Agent, content: string): Promise<void> {
    // If the tokens could not be counted, the model decides whether the prompt fits.
    const counts = await this.tokenCounter.countedAll([agent.systemPrompt, content]);
    const [instructions = 0, message = 0] = counts ?? [];
    const tokens = instructions + message + ADDED_TOKENS;
    const limit = promptRoom(this.languageModels.contextTokens(agent, agent.contextMaxTokens), agent.modelParams);
    if (tokens > limit) {
      throw ContextTooLongError.of(tokens, limit);
    }
  }

  /** The tokens that the provider reports. If it reports none, they are counted here. */
  private async usageOf({ usage, text }: Completion, prompt: ModelMessage[]): Promise<AgentTrialUsage> {
    if (usage !== null) {
      return { ...toReplyUsage(usage), isEstimated: false };
    }
    const counted = tokenUsage(await this.tokenCounter.countConversation(prompt), await this.tokenCounter.count(text));
    return { ...counted, cached: 0, reasoning: 0, isEstimated: true };
  }
}

function promptOf(agent: Agent, content: string): ModelMessage[] {
  const question: ModelMessage = { role: 'user', content };
  return agent.systemPrompt === '' ? [question] : [{ role: 'system', content: agent.systemPrompt }, question];
}
