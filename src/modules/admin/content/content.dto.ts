import { IsInt, IsString, Max, Min } from 'class-validator';
import { PageOrFileQueryDto } from '../../../common/csv/csv-query.dto';
import { type Sort, SortParameter } from '../../../common/envelope/sort';
import type { Language } from '../../../common/i18n/language';
import { CharacterCount, NotBlank, OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { TimeParameter } from '../../../common/validation/times';
import { type Chat, type Message, MessageDto, toMessageDto } from '../../chat/chat.api';
import type { ShownAction } from '../../generation/generation.api';

const CHAT_SORT_FIELDS = ['id', 'created_at'] as const;
export type ChatSortField = (typeof CHAT_SORT_FIELDS)[number];

/** Filters for conversations. */
export class ListAllChatsQueryDto extends PageOrFileQueryDto {
  /** Only conversations of this user. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  user_id?: number;

  /** Only conversations with this agent. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  agent_id?: number;

  @TimeParameter('Conversations started on or after this UTC day or instant.')
  from?: string;

  @TimeParameter('Conversations started on or before this UTC day or instant.')
  to?: string;

  @SortParameter(CHAT_SORT_FIELDS, '-id')
  sort: Sort<ChatSortField> = '-id';
}

/** The reason for reading a conversation, and the part to read. */
export class ReadContentQueryDto {
  /** Written to the audit log before anything is shown. @example "Complaint 4711: check for abuse." */
  @NotBlank()
  @CharacterCount(3, 500)
  @IsString()
  reason: string;

  /** Only messages before this one, to read older messages. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before?: number;
}

/** A conversation without any text that a user wrote, such as the title and tags. */
export class ChatMetadataDto {
  /** Id of the conversation. @example 1 */
  id: number;

  /** Id of the owner. @example 42 */
  user_id: number;

  /** Current name of the owner. Null if the account is closed. @example "ada" */
  username: string | null;

  /** Id of the agent. @example 1 */
  agent_id: number;

  /** Number of messages, both the user's and the replies. @example 2 */
  message_count: number;

  /** When the newest message was created. Null if there is none. @example "2026-07-31T12:00:00.000Z" */
  last_message_at: string | null;

  /** Whether the owner pinned it. @example false */
  is_pinned: boolean;

  /** Whether the owner archived it. @example false */
  is_archived: boolean;

  /** Ids of the active legal holds that cover the conversation. @example [] */
  on_hold: number[];

  /** When the conversation was started. @example "2026-07-01T12:00:00.000Z" */
  created_at: string;

  /** When the conversation was last changed by a message or the owner. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** Columns of the CSV file of conversations. */
export const CHAT_METADATA_FIELDS = [
  'id',
  'user_id',
  'agent_id',
  'message_count',
  'last_message_at',
  'is_pinned',
  'is_archived',
  'created_at',
  'updated_at',
  'username',
  'on_hold',
] as const satisfies readonly (keyof ChatMetadataDto)[];

/** A conversation with its content. */
export class ChatContentDto extends ChatMetadataDto {
  /** Set by the owner, or generated from the first exchange. @example "Trip to Lisbon" */
  title: string;

  /** The owner's labels. @example ["travel"] */
  tags: string[];

  /** The newest 1,000 messages, or those before `before`, oldest first. Includes regenerated replies. */
  messages: MessageDto[];

  /** Whether there are older messages, which `before` reads. @example false */
  has_more_messages: boolean;
}

export function toChatMetadataDto(
  chat: Chat,
  usernames: ReadonlyMap<number, string>,
  onHold: ReadonlyMap<number, number[]>,
): ChatMetadataDto {
  return {
    id: chat.id,
    user_id: chat.userId,
    username: usernames.get(chat.userId) ?? null,
    agent_id: chat.agentId,
    message_count: chat.messageCount,
    last_message_at: chat.lastMessageAt?.toISOString() ?? null,
    is_pinned: chat.isPinned,
    is_archived: chat.isArchived,
    on_hold: onHold.get(chat.id) ?? [],
    created_at: chat.createdAt.toISOString(),
    updated_at: chat.updatedAt.toISOString(),
  };
}

/** A conversation and a part of its messages, oldest first. */
export interface ChatContent {
  chat: Chat;
  usernames: ReadonlyMap<number, string>;
  /** Ids of holds by conversation. */
  onHold: ReadonlyMap<number, number[]>;
  messages: Message[];
  /** Actions that the replies are waiting for. */
  actions: ShownAction[];
  /** Whether there are older messages. */
  hasMore: boolean;
}

export function toChatContentDto(content: ChatContent, language: Language): ChatContentDto {
  const { chat, usernames, onHold, messages, actions, hasMore } = content;
  return {
    ...toChatMetadataDto(chat, usernames, onHold),
    title: chat.title,
    tags: chat.tags,
    messages: messages.map((message) => toMessageDto(message, language, actions)),
    has_more_messages: hasMore,
  };
}
