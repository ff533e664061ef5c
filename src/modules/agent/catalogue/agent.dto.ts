import { ApiProperty } from '@nestjs/swagger';
import { INPUT_KINDS, type InputKind } from '../../../integrations/llm/port/message-parts';
import { ACCESS_LEVELS, type AccessLevel, type Agent } from './agent.entity';

/** An agent as every user sees it (specification §2.3). */
export class AgentDto {
  /** For `agent_id` when a chat is started. @example 1 */
  id: number;

  /** Unique among the agents; case does not count. @example "General Assistant" */
  name: string;

  /** What it is good for; may be empty. @example "Answers questions and helps with everyday tasks." */
  description: string;

  /** Path of its image. @example /static/agents/general-assistant.svg */
  avatar: string;

  /** For grouping and filtering; may be empty. @example "general" */
  category: string;

  /** Labels for people. @example ["everyday"] */
  tags: string[];

  /** What a client shows in an empty chat. @example "Hello! What can I do for you?" */
  opening_message: string;

  /** First messages a client can offer. @example ["Explain how vaccines work."] */
  suggested_questions: string[];

  /** Who may chat with it: everybody (`free`), members only (`paid`), or certain groups (`groups`). @example "free" */
  @ApiProperty({ enum: ACCESS_LEVELS })
  access_level: AccessLevel;

  /** Whether chats without a named agent get this one. @example true */
  is_default: boolean;

  /** Whether it answers now. @example true */
  is_active: boolean;

  /** Place in lists, ascending. @example 10 */
  sort_order: number;

  /** The model it uses; null: the service's default. @example "gpt-4o-mini" */
  model: string | null;

  /** What its model can be sent, as `parts` of a message. @example ["text", "image", "file"] */
  @ApiProperty({ enum: INPUT_KINDS, isArray: true })
  input: readonly InputKind[];

  /** Rises with every change. @example 1 */
  version: number;

  /** When it was made. @example 2026-01-31T09:30:00.000Z */
  created_at: string;

  /** When it was last changed. @example 2026-01-31T09:30:00.000Z */
  updated_at: string;
}

export function toAgentDto(agent: Agent, input: readonly InputKind[]): AgentDto {
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description,
    avatar: agent.avatar,
    category: agent.category,
    tags: agent.tags,
    opening_message: agent.openingMessage,
    suggested_questions: agent.suggestedQuestions,
    access_level: agent.accessLevel,
    is_default: agent.isDefault,
    is_active: agent.status === 'active' && agent.deletedAt === null,
    sort_order: agent.sortOrder,
    model: agent.model,
    input,
    version: agent.version,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  };
}
