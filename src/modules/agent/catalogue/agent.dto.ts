import { ApiProperty } from '@nestjs/swagger';
import { INPUT_KINDS, type InputKind } from '../../../integrations/llm/port/message-parts';
import { ACCESS_LEVELS, type AccessLevel, type Agent } from './agent.entity';

/** An agent as every user sees it (specification §2.3). */
export class AgentDto {
  /** Id for `agent_id` when you start a chat. @example 1 */
  id: number;

  /** Unique among the agents; case is ignored. @example "General Assistant" */
  name: string;

  /** Purpose of the agent; may be empty. @example "Answers questions and helps with everyday tasks." */
  description: string;

  /** Path of its image. @example /static/agents/general-assistant.svg */
  avatar: string;

  /** For grouping and filtering; may be empty. @example "general" */
  category: string;

  /** Labels for people. @example ["everyday"] */
  tags: string[];

  /** Text that clients show in an empty chat. @example "Hello! What can I do for you?" */
  opening_message: string;

  /** First messages that clients can offer. @example ["Explain how vaccines work."] */
  suggested_questions: string[];

  /** Who may chat with it: all users (`free`), members only (`paid`), or certain groups (`groups`). @example "free" */
  @ApiProperty({ enum: ACCESS_LEVELS })
  access_level: AccessLevel;

  /** Whether it is the agent of chats that name none. @example true */
  is_default: boolean;

  /** Whether it can be used now. @example true */
  is_active: boolean;

  /** Position in lists, ascending. @example 10 */
  sort_order: number;

  /** The model it uses; null: the service's default. @example "gpt-4o-mini" */
  model: string | null;

  /** Kinds of `parts` of a message that it accepts. Models that accept no files get their text. @example ["text", "image", "file"] */
  @ApiProperty({ enum: INPUT_KINDS, isArray: true })
  input: readonly InputKind[];

  /** Increases with every change. @example 1 */
  version: number;

  /** When it was created. @example 2026-01-31T09:30:00.000Z */
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
