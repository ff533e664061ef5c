import { Injectable } from '@nestjs/common';
import { type EntityManager, In, MoreThan } from 'typeorm';
import type { ListQueryDto } from '../../../common/envelope/list-query.dto';
import type { ListPart } from '../../../common/envelope/total-count';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findPage, findRows } from '../../../database/statements/find';
import { jsonContains } from '../../../database/statements/json-contains';
import { allOf, rowCondition } from '../../../database/statements/row-condition';
import { AgentService, AgentView } from '../../agent/agent.api';
import { ReplyKnowledge } from '../../generation/generation.api';
import { HoldNotices } from '../../hold/hold.api';
import { RetentionDirectory } from '../../retention/retention.api';
import { ChatConfig } from '../conversations/chat.config';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError } from '../conversations/chat.errors';
import { ChatCounts } from '../conversations/chat-counts';
import {
  CHAT_OF_USER,
  CHAT_TO_CHANGE,
  NEWEST_CHATS,
  NEWEST_CHATS_BY_ARCHIVE,
  type ReadChat,
  type ReadMessage,
  type ShownChat,
} from '../conversations/chat-queries';
import { MessageEntity } from '../conversations/message.entity';
import { Branches, MessageService } from '../messages/message.service';
import { ChatSearch, type FoundChats } from '../search/chat-search.service';
import { ChatDto, toChatDto, TrashedChatDto } from './chat.dto';
import type { ListChatsQueryDto } from './list-chats-query.dto';
import { NewestMessagesQuery } from './newest-messages.query';

/** The most messages that the view of one conversation contains. */
const MESSAGES_OF_ONE_CHAT = 1_000;

/** A conversation with its newest messages; `messages` is null unless the request includes them. */
export interface ListedChat {
  chat: ChatDto;
  messages: MessageEntity[] | null;
}

/** Conversations, with the messages that a search found. */
type FoundPart = ListPart<ShownChat> & Partial<Pick<FoundChats, 'matches'>>;

/** Reads conversations for clients. A list needs a constant number of statements, whatever its length. */
@Injectable()
export class ChatReadService {
  constructor(
    private readonly config: ChatConfig,
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly agents: AgentService,
    private readonly shown: AgentView,
    private readonly messages: MessageService,
    private readonly counts: ChatCounts,
    private readonly search: ChatSearch,
    private readonly newestOfChats: NewestMessagesQuery,
    private readonly knowledge: ReplyKnowledge,
    private readonly notices: HoldNotices,
    private readonly retention: RetentionDirectory,
  ) {}

  /** @throws ChatNotFoundError also if the conversation belongs to another user */
  async get(userId: number, id: number): Promise<ReadChat> {
    const chat = await CHAT_OF_USER.first(this.database.manager, [id, userId]);
    if (chat === null) {
      throw new ChatNotFoundError();
    }
    return chat;
  }

  /**
   * Reads the conversation and locks it until the transaction ends. Call it within `Database.write`.
   *
   * @throws ChatNotFoundError
   */
  async lock(manager: EntityManager, userId: number, id: number): Promise<ReadChat> {
    const chat = await CHAT_TO_CHANGE.first(manager, [id, userId]);
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

  async describe(chat: ShownChat): Promise<ChatDto> {
    return (await this.toDtos([chat]))[0] as ChatDto;
  }

  async list(userId: number, query: ListChatsQueryDto): Promise<ListPart<ListedChat>> {
    const { items, total, matches } = await this.listed(userId, query);
    const described = await this.toDtos(items);
    const chats = matches ? described.map((chat) => ({ ...chat, match: matches.get(chat.id) ?? null })) : described;
    if (!query.include_messages) {
      return { items: chats.map((chat) => ({ chat, messages: null })), total };
    }
    const messages = await this.newestOfChats.find(items.map(({ id }) => id));
    await this.knowledge.fillRows(userId, messages);
    const byChat = new Map(chats.map(({ id }) => [id, [] as MessageEntity[]]));
    for (const message of messages) {
      byChat.get(message.chatId)?.push(message);
    }
    return { items: chats.map((chat) => ({ chat, messages: byChat.get(chat.id) ?? [] })), total };
  }

  /** Lists the conversations in the trash, the most recently deleted first. */
  async listTrash(userId: number, query: ListQueryDto): Promise<ListPart<TrashedChatDto>> {
    const trash = { userId, deletedAt: MoreThan(this.purgeLimit()) };
    const order = { deletedAt: 'DESC', id: 'DESC' } as const;
    const options = { limit: query.limit, offset: query.offset, order, withDeleted: true };
    const { items, total } = await findPage(this.database.manager, ChatEntity, trash, options);
    const chats = await this.toDtos(items);
    return { items: chats.map((chat, index) => this.toTrashed(chat, items[index]?.deletedAt ?? null)), total };
  }

  /** Conversations deleted at or before this time can be erased. */
  purgeLimit(): Date {
    return new Date(this.clock.now().getTime() - this.config.TRASH_DAYS * DAY_MILLISECONDS);
  }

  private async listed(userId: number, query: ListChatsQueryDto): Promise<FoundPart> {
    const text = query.q?.trim() ?? '';
    if (text !== '') {
      return this.found(userId, text, query);
    }
    const { is_archived, is_pinned, agent_id, tag } = query;
    if (agent_id === undefined && is_pinned === undefined && tag === undefined) {
      return { items: await this.newest(userId, query), total: await this.counts.of(userId, is_archived) };
    }
    const { manager } = this.database;
    const chats = rowCondition(manager, ChatEntity, {
      userId,
      ...(agent_id !== undefined && { agentId: agent_id }),
      ...(is_pinned !== undefined && { isPinned: is_pinned }),
      ...(is_archived !== undefined && { isArchived: is_archived }),
    });
    const isTagged = { condition: jsonContains(manager, 'tags'), parameters: [tag ?? null] };
    const where = tag === undefined ? chats : allOf(chats, isTagged);
    const { limit, offset } = query;
    return findPage(manager, ChatEntity, where, { order: { updatedAt: 'DESC', id: 'DESC' }, limit, offset });
  }

  private newest(userId: number, { is_archived, limit, offset }: ListChatsQueryDto): Promise<ShownChat[]> {
    const { manager } = this.database;
    return is_archived === undefined
      ? NEWEST_CHATS.all(manager, [userId, limit, offset])
      : NEWEST_CHATS_BY_ARCHIVE.all(manager, [userId, is_archived, limit, offset]);
  }

  private async found(userId: number, text: string, query: ListChatsQueryDto): Promise<FoundPart> {
    const { ids, total, matches } = await this.search.find(userId, text, query);
    const chats = await findRows(this.database.manager, ChatEntity, { id: In(ids), userId });
    const byId = new Map(chats.map((chat) => [chat.id, chat]));
    return { items: ids.flatMap((id) => byId.get(id) ?? []), total, matches };
  }

  private async toDtos(chats: ShownChat[]): Promise<ChatDto[]> {
    const agents = await this.agents.findManyForDisplay([...new Set(chats.map(({ agentId }) => agentId))]);
    const readable = await this.readableOf(chats);
    const holds = await this.notices.ofChats(
      chats[0]?.userId ?? 0,
      chats.map(({ id }) => id),
    );
    const expiry = await this.retention.expiry('chats', chats[0]?.userId ?? 0);
    return chats.map((chat) => {
      const agent = agents.get(chat.agentId);
      const knowledge = (chat.knowledge ?? []).filter((id) => readable.has(id));
      const since = holds.get(chat.id);
      const dto = toChatDto(chat, { agent: agent ? this.shown.shared(agent) : null, knowledge, expiry });
      return since ? { ...dto, hold: { since: since.toISOString() } } : dto;
    });
  }

  /** The collections of a user's conversations that the user may read. No query if there are none. */
  private async readableOf(chats: ShownChat[]): Promise<ReadonlySet<number>> {
    const ids = [...new Set(chats.flatMap(({ knowledge }) => knowledge ?? []))];
    const readable = await this.knowledge.searchable(chats[0]?.userId ?? 0, ids);
    return new Set(readable.map(({ id }) => id));
  }

  private toTrashed(chat: ChatDto, deletedAt: Date | null): TrashedChatDto {
    const deleted = deletedAt ?? this.clock.now();
    const purgeAt = new Date(deleted.getTime() + this.config.TRASH_DAYS * DAY_MILLISECONDS);
    return { ...chat, deleted_at: deleted.toISOString(), purge_at: purgeAt.toISOString() };
  }
}
