import type { AgentStatus } from '../agent.entity';
import { DEFAULT_AVATAR } from '../agent-avatars';
import type { AgentDocumentEntryDto } from '../transfer/agent-document.dto';
import type { UpdateAgentDto } from './agent-changes.dto';
import type { AgentDefinition } from './agent-definition';

/** The part of a definition that a body gives; what it leaves out is left out here too. */
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
    isDefault: input.is_default,
    status: input.status ?? toStatus(input.is_active),
    sortOrder: input.sort_order,
    systemPrompt: input.system_prompt,
    provider: input.provider,
    model: input.model,
    // A plain object: the database gives one back, and both are compared.
    modelParams: input.model_params && { ...input.model_params },
    fallbackModels: input.fallback_models,
    contextMaxMessages: input.context_max_messages,
    contextMaxTokens: input.context_max_tokens,
    timeoutSeconds: input.timeout_seconds,
  };
  return Object.fromEntries(Object.entries<unknown>(fields).filter(([, value]) => value !== undefined));
}

/** An agent for a document that is kept in a version control system: always the same fields in the same order. */
export function toDocumentEntry(definition: AgentDefinition): AgentDocumentEntryDto {
  return {
    name: definition.name,
    description: definition.description,
    avatar: definition.avatar,
    category: definition.category,
    tags: definition.tags,
    opening_message: definition.openingMessage,
    suggested_questions: definition.suggestedQuestions,
    access_level: definition.accessLevel,
    is_default: definition.isDefault,
    status: definition.status,
    sort_order: definition.sortOrder,
    system_prompt: definition.systemPrompt,
    provider: definition.provider,
    model: definition.model,
    model_params: Object.fromEntries(
      Object.entries(definition.modelParams).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    fallback_models: definition.fallbackModels,
    context_max_messages: definition.contextMaxMessages,
    context_max_tokens: definition.contextMaxTokens,
    timeout_seconds: definition.timeoutSeconds,
  };
}

function toStatus(isActive: boolean | undefined): AgentStatus | undefined {
  if (isActive === undefined) {
    return undefined;
  }
  return isActive ? 'active' : 'disabled';
}
