import { ApiExtraModels } from '@nestjs/swagger';
import { AgentDto } from '../../agent/agent.api';
import type { ReadChat } from '../conversations/chat-queries';
import { MessageDto } from '../messages/message.dto';

/** A conversation without its messages. */
export class ChatFactsDto {
  /** Used in the paths below it. @example 1 */
  id: number;

  /** 1 to 200 characters; given by the user, or made from the first exchange. @example "Trip to Lisbon" */
  title: string;

  /** The owner. @example 7 */
  user_id: number;

  /** Chosen at creation. @example 1 */
  agent_id: number;

  /** Whether the client shows it on top. @example false */
  is_pinned: boolean;

  /** Whether it is put away without being deleted. @example false */
  is_archived: boolean;

  /** The user's own labels, up to 20. @example ["travel"] */
  tags: string[];

  /** Its messages, replies included. @example 2 */
  message_count: number;

  /** Time of the newest message; null: there is none. @example "2026-01-31T09:30:00.000Z" */
  last_message_at: string | null;

  /** The reply that is being written; null when there is none. @example 2 */
  active_message_id: number | null;

  /** The message up to which you have read it, on any device, as POST /chat/{chat_id}/read said; null: never. @example 2 */
  read_message_id: number | null;

  /** When it was started. @example "2026-01-31T09:29:00.000Z" */
  created_at: string;

  /** Time of the last message or edit; lists are sorted by it. @example "2026-01-31T09:30:03.100Z" */
  updated_at: string;

  /** Null only if the agent was erased. */
  agent: AgentDto | null;
}

/** A conversation (specification §2.4). */
@ApiExtraModels(ChatFactsDto)
export class ChatDto extends ChatFactsDto {
  /** Oldest first; in lists only with `include_messages=true`: the newest 50, of long ones fewer. */
  messages?: MessageDto[];
}

/** One conversation with its messages. */
export class ChatWithMessagesDto extends ChatFactsDto {
  /** The newest, up to 1,000 and 4 MiB of text; oldest first. */
  messages: MessageDto[];

  /** Whether there are older ones; GET /chat/{chat_id}/messages has them. @example false */
  has_more_messages: boolean;
}

/** A conversation in the trash. */
export class TrashedChatDto extends ChatDto {
  /** When it was deleted. @example "2026-02-01T12:00:00.000Z" */
  deleted_at: string;

  /** When it is erased for good. @example "2026-03-03T12:00:00.000Z" */
  purge_at: string;
}

export function toChatDto(chat: ReadChat, agent: AgentDto | null): ChatDto {
  return {
    id: chat.id,
    title: chat.title,
    user_id: chat.userId,
    agent_id: chat.agentId,
    is_pinned: chat.isPinned,
    is_archived: chat.isArchived,
    tags: chat.tags,
    message_count: chat.messageCount,
    last_message_at: chat.lastMessageAt?.toISOString() ?? null,
    active_message_id: chat.activeMessageId,
    read_message_id: chat.readMessageId,
    created_at: chat.createdAt.toISOString(),
    updated_at: chat.updatedAt.toISOString(),
    agent,
  };
}
