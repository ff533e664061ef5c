import type { AgentStatus } from '../catalogue/agent.entity';
import { DEFAULT_AVATAR } from '../catalogue/agent-avatars';
import type { UpdateAgentDto } from './agent-changes.dto';
import type { AgentDefinition } from './agent-definition';

/** The fields of a definition that a body specifies. Absent fields are absent here too. */
export function toDefinition(input: UpdateAgentDto): Partial<AgentDefinition> {
  const fields: Partial<AgentDefinition> = {
    name: input.name,
    description: input.description,
    avatar: input.avatar === null ? DEFAULT_AVATAR : input.avatar,
    category: input.category,
    tags: input.tags,
    openingMessage: input.opening_message,
    suggestedQuestions: input.suggested_questions,
    accessLevel: input.access_level,
    groupIds: input.group_ids,
    isDefault: input.is_default,
    status: input.status ?? toStatus(input.is_active),
    sortOrder: input.sort_order,
    systemPrompt: input.system_prompt,
    provider: input.provider,
    model: input.model,
    // A plain object, because the database returns one and both are compared.
    modelParams: input.model_params && { ...input.model_params },
    fallbackModels: input.fallback_models,
    contextMaxMessages: input.context_max_messages,
    contextMaxTokens: input.context_max_tokens,
    timeoutSeconds: input.timeout_seconds,
    // Plain objects, for the same reason.
    tools: input.tools?.map((tool) => ({ ...tool })),
    knowledge: input.knowledge,
    maxRounds: input.max_rounds,
    maxCalls: input.max_calls,
    maxCostPerRun: input.max_cost_per_run,
    outsideReads: input.outside_reads,
  };
  return Object.fromEntries(Object.entries<unknown>(fields).filter(([, value]) => value !== undefined));
}

function toStatus(isActive: boolean | undefined): AgentStatus | undefined {
  if (isActive === undefined) {
    return undefined;
  }
  return isActive ? 'active' : 'disabled';
}
