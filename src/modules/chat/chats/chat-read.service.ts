import { Injectable } from '@nestjs/common';
import { In, type SelectQueryBuilder } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { ListQueryDto } from '../../../common/envelope/list-query.dto';
import type { ListPart } from '../../../common/envelope/total-count';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { jsonContains } from '../../../database/statements/json-contains';
import { queryRows } from '../../../database/statements/query';
import { AgentService, AgentView } from '../../agent/agent.api';
import { ChatConfig } from '../conversations/chat.config';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError } from '../conversations/chat.errors';
import { ChatCounts } from '../conversations/chat-counts';
import {
  CHAT_OF_USER,
  NEWEST_CHATS,
  NEWEST_CHATS_BY_ARCHIVE,
  type ReadChat,
  type ReadMessage,
} from '../conversations/chat-queries';
import { MessageEntity } from '../conversations/message.entity';
import { Branches, MessageService } from '../messages/message.service';
import { messageBytes, shareOut } from '../messages/page-bytes';
import { ChatSearch } from '../search/chat-search.service';
import { ChatDto, toChatDto, TrashedChatDto } from './chat.dto';
import type { ListChatsQueryDto } from './list-chats-query.dto';

/** How many messages a list shows of each conversation, and how many a single conversation shows. */
const MESSAGES_PER_CHAT = 50;
const MESSAGES_OF_ONE_CHAT = 1_000;

/** A conversation with its newest messages; `messages` is null when they were not asked for. */
export interface ListedChat {
  chat: ChatDto;
  messages: MessageEntity[] | null;
}

/** A row of a statement that says how large the newest messages of conversations are. */
interface SizeRow {
  chat_id: number;
  position: number;
  id: number;
  bytes: number | string;
}

/** Reads conversations for clients. A list needs the same few statements, however long it is and however many messages it has. */
@Injectable()
export class ChatReadService {
  constructor(
    private readonly config: ChatConfig,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly agents: AgentService,
    private readonly shown: AgentView,
    private readonly messages: MessageService,
    private readonly counts: ChatCounts,
    private readonly search: ChatSearch,
  ) {}

  /** @throws ChatNotFoundError also for the conversation of another user. */
  async get(userId: number, id: number): Promise<ReadChat> {
    const chat = await CHAT_OF_USER.first(this.database.manager, [id, userId]);
    if (chat === null) {
      throw new ChatNotFoundError();
    }
    return chat;
  }

  /** @throws ChatNotFoundError */
  async read(
    userId: number,
    id: number,
    branches: Branches,
  ): Promise<{ chat: ChatDto; messages: ReadMessage[]; hasMore: boolean }> {
    const chat = await this.get(userId, id);
    const { messages, hasMore } = await this.messages.newest(chat, MESSAGES_OF_ONE_CHAT, branches);
    return { chat: await this.describe(chat), messages, hasMore };
  }

  async describe(chat: ReadChat): Promise<ChatDto> {
    const agent = (await this.agents.findManyForDisplay([chat.agentId])).get(chat.agentId);
    return toChatDto(chat, agent ? this.shown.shared(agent) : null);
  }

  async list(userId: number, query: ListChatsQueryDto): Promise<ListPart<ListedChat>> {
    const { items, total } = await this.listed(userId, query);
    const chats = await this.toDtos(items);
    if (!query.include_messages) {
      return { items: chats.map((chat) => ({ chat, messages: null })), total };
    }
    const messages = await this.newestMessages(items.map(({ id }) => id));
    const byChat = new Map(chats.map(({ id }) => [id, [] as MessageEntity[]]));
    for (const message of messages) {
      byChat.get(message.chatId)?.push(message);
    }
    return { items: chats.map((chat) => ({ chat, messages: byChat.get(chat.id) ?? [] })), total };
  }

  /** The conversations in the trash; the one deleted last comes first. */
  async listTrash(userId: number, query: ListQueryDto): Promise<ListPart<TrashedChatDto>> {
    const trash = this.chatsOf(userId)
      .withDeleted()
      .andWhere('chat.deleted_at > :restorableFrom', { restorableFrom: this.purgeableUntil() });
    const total = await trash.getCount();
    const items = await page(trash, query, 'deleted_at');
    const chats = await this.toDtos(items);
    return { items: chats.map((chat, index) => this.toTrashed(chat, items[index]?.deletedAt ?? null)), total };
  }

  /** Conversations deleted at or before this time can be erased. */
  purgeableUntil(): Date {
    return new Date(this.clock.now().getTime() - this.config.TRASH_DAYS * DAY_MILLISECONDS);
  }

  private async listed(userId: number, query: ListChatsQueryDto): Promise<ListPart<ReadChat>> {
    const text = query.q?.trim() ?? '';
    if (text !== '') {
      return this.found(userId, text, query);
    }
    const { is_archived, is_pinned, agent_id, tag } = query;
    if (agent_id === undefined && is_pinned === undefined && tag === undefined) {
      return { items: await this.newest(userId, query), total: await this.counts.of(userId, is_archived) };
    }
    const chats = this.chatsOf(userId);
    if (agent_id !== undefined) {
      chats.andWhere('chat.agent_id = :agentId', { agentId: agent_id });
    }
    if (is_pinned !== undefined) {
      chats.andWhere('chat.is_pinned = :isPinned', { isPinned: is_pinned });
    }
    if (is_archived !== undefined) {
      chats.andWhere('chat.is_archived = :isArchived', { isArchived: is_archived });
    }
    if (tag !== undefined) {
      chats.andWhere(jsonContains(this.database.manager, 'chat.tags', ':tag'), { tag });
    }
    return { total: await chats.getCount(), items: await page(chats, query, 'updated_at') };
  }

  private newest(userId: number, { is_archived, limit, offset }: ListChatsQueryDto): Promise<ReadChat[]> {
    const { manager } = this.database;
    return is_archived === undefined
      ? NEWEST_CHATS.all(manager, [userId, limit, offset])
      : NEWEST_CHATS_BY_ARCHIVE.all(manager, [userId, is_archived, limit, offset]);
  }

  private async found(userId: number, text: string, query: ListChatsQueryDto): Promise<ListPart<ReadChat>> {
    const ids = await this.search.find(userId, text, query);
    const part = ids.slice(query.offset, query.offset + query.limit);
    const chats = await findRows(this.database.manager, ChatEntity, { id: In(part), userId });
    const byId = new Map(chats.map((chat) => [chat.id, chat]));
    return { items: part.flatMap((id) => byId.get(id) ?? []), total: ids.length };
  }

  private chatsOf(userId: number): SelectQueryBuilder<ChatEntity> {
    return this.database.repository(ChatEntity).createQueryBuilder('chat').where('chat.user_id = :userId', { userId });
  }

  private async toDtos(chats: ReadChat[]): Promise<ChatDto[]> {
    const agents = await this.agents.findManyForDisplay([...new Set(chats.map(({ agentId }) => agentId))]);
    return chats.map((chat) => {
      const agent = agents.get(chat.agentId);
      return toChatDto(chat, agent ? this.shown.shared(agent) : null);
    });
  }

  private toTrashed(chat: ChatDto, deletedAt: Date | null): TrashedChatDto {
    const deleted = deletedAt ?? this.clock.now();
    const purgeAt = new Date(deleted.getTime() + this.config.TRASH_DAYS * DAY_MILLISECONDS);
    return { ...chat, deleted_at: deleted.toISOString(), purge_at: purgeAt.toISOString() };
  }

  /**
   * Two statements for all conversations: the first tells how many messages of each fit into the page. The part for each
   * conversation stops after its newest messages, so the cost does not grow with the number of messages. The cost of a
   * ranking over all messages would.
   */
  private async newestMessages(chatIds: number[]): Promise<MessageEntity[]> {
    const counts = await this.countsThatFit(chatIds);
    const newest = chatIds.flatMap((id, index) => {
      const count = counts[index] ?? 0;
      return count === 0 ? [] : newestOf(id, 'id', count);
    });
    if (newest.length === 0) {
      return [];
    }
    // Joined, because MariaDB would run a condition `IN (…)` for every row of the table.
    const messages = this.database
      .repository(MessageEntity)
      .createQueryBuilder('message')
      .innerJoin(`(${newest.join(' UNION ALL ')})`, 'newest', 'newest.id = message.id');
    return messages.orderBy('message.position').addOrderBy('message.id').getMany();
  }

  private async countsThatFit(chatIds: number[]): Promise<number[]> {
    if (chatIds.length === 0) {
      return [];
    }
    const columns = `chat_id, position, id, ${messageBytes('chat_messages')} AS bytes`;
    const parts = chatIds.map((id) => newestOf(id, columns, MESSAGES_PER_CHAT));
    const rows = await queryRows<SizeRow>(this.database.manager, parts.join(' UNION ALL '));
    rows.sort((one, other) => other.position - one.position || other.id - one.id);
    const byChat = new Map(chatIds.map((id) => [id, [] as number[]]));
    rows.forEach(({ chat_id, bytes }) => byChat.get(chat_id)?.push(Number(bytes)));
    return shareOut([...byChat.values()]);
  }
}

/** SQL for columns of the newest messages of a conversation. */
function newestOf(chatId: number, columns: string, count: number): string {
  return (
    `SELECT * FROM (SELECT ${columns} FROM chat_messages WHERE chat_id = ${chatId} AND is_current = 1 ` +
    `ORDER BY position DESC, id DESC LIMIT ${count}) newest_${chatId}`
  );
}

/** One page, the newest first. */
function page(
  chats: SelectQueryBuilder<ChatEntity>,
  { limit, offset }: ListQueryDto,
  order: 'updated_at' | 'deleted_at',
): Promise<ChatEntity[]> {
  return chats.orderBy(`chat.${order}`, 'DESC').addOrderBy('chat.id', 'DESC').limit(limit).offset(offset).getMany();
}
