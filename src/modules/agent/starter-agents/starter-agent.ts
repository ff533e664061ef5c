import type { AgentDefinition } from '../editing/agent-definition';

/**
 * An agent of a new installation. It specifies no provider and no model, so that the configured ones answer. It has no
 * sampling parameters, because many current models refuse them.
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
