import { ApiExtraModels } from '@nestjs/swagger';
import { AgentDto } from '../../agent/agent.api';
import type { Expiry } from '../../retention/retention.api';
import type { ShownChat } from '../conversations/chat-queries';
import { MessageDto } from '../messages/message.dto';
import { ChatMatchDto } from '../search/chat-match.dto';

/** A legal hold on a conversation. */
export class ChatHoldDto {
  /** Since when it keeps the conversation. @example "2026-03-03T09:30:00.000Z" */
  since: string;
}

/** A conversation without its messages. */
export class ChatFactsDto {
  /** The ID, used in paths. @example 1 */
  id: number;

  /** 1 to 200 characters, set by the user or generated from the first exchange. @example "Trip to Lisbon" */
  title: string;

  /** The owner. @example 7 */
  user_id: number;

  /** The agent, set at creation. @example 1 */
  agent_id: number;

  /** Whether the client shows the conversation at the top. @example false */
  is_pinned: boolean;

  /** Whether the conversation is archived. @example false */
  is_archived: boolean;

  /** The user's own labels, up to 20. @example ["travel"] */
  tags: string[];

  /** The collections that replies search, besides those of the agent. Without those that you may no longer read. @example [] */
  knowledge: number[];

  /** The number of messages, including replies. @example 2 */
  message_count: number;

  /** Time of the newest message; null if there is none. @example "2026-01-31T09:30:00.000Z" */
  last_message_at: string | null;

  /** The running reply; null if there is none. @example 2 */
  active_message_id: number | null;

  /**
   * The last message that the user has read on any device, set by POST /chat/{chat_id}/read; null if there is none.
   * @example 2
   */
  read_message_id: number | null;

  /** When the conversation was created. @example "2026-01-31T09:29:00.000Z" */
  created_at: string;

  /** Time of the last message or edit, by which lists are sorted. @example "2026-01-31T09:30:03.100Z" */
  updated_at: string;

  /** Only if a legal hold keeps the conversation and its owner is informed. */
  hold?: ChatHoldDto;
  /** When a retention policy deletes it, if no message follows; null: never. @example "2027-01-31T09:30:00.000Z" */
  expires_at: string | null;

  /** Null only if the agent was erased. */
  agent: AgentDto | null;
}

/** A conversation. */
@ApiExtraModels(ChatFactsDto)
export class ChatDto extends ChatFactsDto {
  /**
   * Oldest first. Lists contain it only with `include_messages=true`: up to 50 of the newest messages, fewer if they
   * are long.
   */
  messages?: MessageDto[];

  /** Only in lists with `q`: a message that contains the text; null if only the title does. */
  match?: ChatMatchDto | null;
}

/** A conversation with its messages. */
export class ChatWithMessagesDto extends ChatFactsDto {
  /** The newest messages, up to 1,000 and 4 MiB of text; oldest first. */
  messages: MessageDto[];

  /** Whether there are older messages. Read them with GET /chat/{chat_id}/messages. @example false */
  has_more_messages: boolean;
}

/** A conversation in the trash. */
export class TrashedChatDto extends ChatDto {
  /** When the conversation was deleted. @example "2026-02-01T12:00:00.000Z" */
  deleted_at: string;

  /** When the conversation is permanently erased. @example "2026-03-03T12:00:00.000Z" */
  purge_at: string;
}

/** @param knowledge the collections of the conversation that its owner may read */
export function toChatDto(
  chat: ShownChat,
  { agent, knowledge, expiry }: { agent: AgentDto | null; knowledge: number[]; expiry: Expiry },
): ChatDto {
  return {
    id: chat.id,
    title: chat.title,
    user_id: chat.userId,
    agent_id: chat.agentId,
    is_pinned: chat.isPinned,
    is_archived: chat.isArchived,
    tags: chat.tags,
    knowledge,
    message_count: chat.messageCount,
    last_message_at: chat.lastMessageAt?.toISOString() ?? null,
    active_message_id: chat.activeMessageId,
    read_message_id: chat.readMessageId,
    created_at: chat.createdAt.toISOString(),
    updated_at: chat.updatedAt.toISOString(),
    expires_at: expiry(chat.lastMessageAt ?? chat.createdAt)?.toISOString() ?? null,
    agent,
  };
}
