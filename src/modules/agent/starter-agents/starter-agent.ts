import type { AgentDefinition } from '../agent-definition';

/** An agent that a fresh installation brings along. It names no provider and no model, so that the configured ones answer. */
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
  | 'modelParams'
  | 'systemPrompt'
>;
