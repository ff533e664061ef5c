import type { AgentDefinition } from '../editing/agent-definition';

/**
 * An agent that a fresh installation brings along. It names no provider and no model, so that the configured ones answer,
 * and no sampling parameter: many of today's models refuse them.
 */
export type StarterAgent = Pick<
  AgentDefinition,
  | 'name'
  | 'description'
  | 'avatar'
  | 'category'
  | 'tags'
  | 'openingMessage'
  | 'suggestedQuestions'
  | 'isDefault'
  | 'sortOrder'
  | 'systemPrompt'
>;
