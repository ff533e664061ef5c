import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../common/security/request-context';
import { toUnixSeconds } from '../../../common/time';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import {
  ChatNotFoundError,
  ChatReadService,
  ChatService,
  ConversationQuery,
  repeatWhileLocked,
  TurnAppender,
} from '../../chat/chat.api';
import { IdempotencyService, type Sender, senderOf, type Turn } from '../../generation/generation.api';
import { type Keeper, StorageService } from '../../usage/usage.api';
import { type Inclusion, NOTHING_MORE } from '../included.decorator';
import { InputReader } from '../responses/request/input-reader';
import { ItemNotFoundError } from '../responses/response.errors';
import { ResponseStore } from '../responses/response.store';
import type { ResponseItem } from '../responses/wire/response-item';
import { conversationId, messageOfItem, readConversationId } from '../responses/wire/wire-ids';
import type { ConversationDto, DeletedConversationDto } from './conversation.dto';
import { ConversationEntity } from './conversation.entity';
import { ConversationNotFoundError, ItemNotDeletableError } from './conversation.errors';
import type { ConversationUpdateBody, NewConversationBody, NewItemsBody } from './conversation-schemas';
import type { ItemListDto } from './item-list';
import type { ItemListQueryDto } from './item-list-query.dto';
import { ItemPages } from './item-pages';

/** The maximum number of items on a page. */
const MOST_ITEMS = 100;

/** The maximum number of messages that one request adds; a body has fewer items. */
const MOST_ADDED = 2_000;

/** The items of a conversation, which are those of the messages on its current line. */
@Injectable()
export class ConversationItems {
  constructor(
    private readonly conversations: ConversationQuery,
    private readonly pages: ItemPages,
  ) {}

  /** @throws ItemNotFoundError for an unknown `after` */
  list(chatId: number, query: ItemListQueryDto, included: Inclusion): Promise<ItemListDto> {
    return this.pages.read((part, bytes) => this.conversations.cutLine(chatId, part, bytes), query, included);
  }

  /** Lists the items of messages that one request added. */
  listAdded(chatId: number, [firstId, lastId]: readonly [number, number], included: Inclusion): Promise<ItemListDto> {
    const added = { chatId, firstId, lastId, count: MOST_ADDED };
    return this.pages.read(
      (part, bytes) => this.conversations.cutStored(added, part, bytes),
      { limit: MOST_ITEMS, order: 'asc' },
      included,
    );
  }

  /** @throws ItemNotFoundError */
  async get(userId: number, chatId: number, id: string, included: Inclusion): Promise<ResponseItem> {
    const messageId = messageOfItem(id);
    const [message] = messageId === null ? [] : await this.conversations.find(userId, [messageId]);
    const items = message?.chatId === chatId ? await this.pages.itemsOf(message, included) : [];
    const item = items.find((one) => one.id === id);
    if (item === undefined) {
      throw new ItemNotFoundError(id, 'item_id');
    }
    return item;
  }
}

/** The route in the fingerprints of repeated requests. */
const ROUTE = 'POST /openai/v1/conversations';

interface FoundChat {
  id: number;
  createdAt: Date;
}

/** Items to add, with the idempotency key. */
export interface NewItems {
  context: RequestContext;
  /** The ID of the conversation. */
  id: string;
  body: NewItemsBody;
  key: string | null;
}

/** Implements OpenAI's Conversations API with all conversations of the user, including those created elsewhere. */
@Injectable()
export class ConversationService {
  constructor(
    private readonly database: Database,
    private readonly chats: ChatService,
    private readonly reading: ChatReadService,
    private readonly appender: TurnAppender,
    private readonly inputs: InputReader,
    private readonly items: ConversationItems,
    private readonly idempotency: IdempotencyService,
    private readonly responses: ResponseStore,
    private readonly storage: StorageService,
  ) {}

  /**
   * Creates a conversation with the user's default agent; a response in it may name another. It stores all items in the
   * same transaction, so a request that is too large leaves no empty conversation.
   */
  async create(
    context: RequestContext,
    body: NewConversationBody,
    key: string | null,
    signal: AbortSignal,
  ): Promise<ConversationDto> {
    const { userId } = context.principal;
    const sender = senderOf(context);
    const request = { userId, key, route: ROUTE, body };
    const chat = await this.idempotency.once<FoundChat>(
      request,
      async () => {
        const isEmpty = body.items.length === 0;
        if (isEmpty) {
          await this.chats.countEmpty(context.principal);
        }
        const turns = isEmpty ? [] : await this.turnsOf(sender, body.items, signal);
        await this.appender.requireAllowed(sender, null, turns);
        return this.appender.keep(sender, turns, (stored) =>
          this.database.write(async (manager) => {
            const made = await this.chats.begin(context, {});
            if (stored.length > 0) {
              await this.appender.append(manager, sender, made.id, stored);
            }
            if (Object.keys(body.metadata).length > 0) {
              await this.saveMetadata(manager, sender, made.id, body.metadata);
            }
            await this.idempotency.keep(manager, request, { chatId: made.id, userMessageId: null, messageId: null });
            return made;
          }),
        );
      },
      ({ chatId }) => this.find(userId, conversationId(chatId)),
    );
    return toDto(chat, body.metadata);
  }

  /** @throws ConversationNotFoundError */
  async read(userId: number, id: string): Promise<ConversationDto> {
    const chat = await this.find(userId, id);
    const row = await findRow(this.database.manager, ConversationEntity, { id: chat.id });
    return toDto(chat, row?.metadata ?? {});
  }

  /** @throws ConversationNotFoundError, StorageQuotaExceededError */
  async update(
    { principal }: RequestContext,
    id: string,
    body: ConversationUpdateBody,
    key: string | null,
  ): Promise<ConversationDto> {
    const { userId } = principal;
    const chat = await this.find(userId, id);
    const request = { userId, key, route: `${ROUTE}/${id}`, body };
    await this.idempotency.once(
      request,
      () =>
        this.database.write(async (manager) => {
          await this.saveMetadata(manager, principal, chat.id, body.metadata);
          await this.idempotency.keep(manager, request, { chatId: chat.id, userMessageId: null, messageId: null });
        }),
      () => Promise.resolve(),
    );
    return toDto(chat, body.metadata);
  }

  /**
   * Moves the conversation to the trash.
   *
   * @throws ConversationNotFoundError
   */
  async delete(userId: number, id: string): Promise<DeletedConversationDto> {
    await this.chats.remove(userId, (await this.find(userId, id)).id);
    return { id, object: 'conversation.deleted', deleted: true };
  }

  /** @throws ConversationNotFoundError, ItemNotFoundError */
  async listItems(userId: number, id: string, query: ItemListQueryDto, included: Inclusion): Promise<ItemListDto> {
    return this.items.list((await this.find(userId, id)).id, query, included);
  }

  /** @throws ConversationNotFoundError, GenerationInProgressError while a response is running in the conversation */
  async addItems({ context, id, body, key }: NewItems, included: Inclusion, signal: AbortSignal): Promise<ItemListDto> {
    const { userId } = context.principal;
    const chat = await this.find(userId, id);
    const sender = senderOf(context);
    const request = { userId, key, route: `${ROUTE}/${id}/items`, body };
    const [first, last] = await this.idempotency.once(
      request,
      async () => {
        const turns = await this.turnsOf(sender, body.items, signal);
        await this.appender.requireAllowed(sender, chat.id, turns);
        await this.appender.declineWaiting(chat.id);
        return this.appender.keep(sender, turns, (stored) =>
          repeatWhileLocked(() =>
            this.database.write(async (manager) => {
              const ids = await this.appender.append(manager, sender, chat.id, stored);
              const ends = [ids[0] as number, ids.at(-1) as number] as const;
              const [userMessageId, messageId] = ends;
              await this.idempotency.keep(manager, request, { chatId: chat.id, userMessageId, messageId });
              return ends;
            }),
          ),
        );
      },
      ({ userMessageId, messageId }) => Promise.resolve([userMessageId ?? 0, messageId ?? 0] as const),
    );
    await this.responses.nameConversation(chat.id);
    return this.items.listAdded(chat.id, [first, last], included);
  }

  /** @throws ConversationNotFoundError, ItemNotFoundError; otherwise ItemNotDeletableError */
  async deleteItem(userId: number, id: string, itemId: string): Promise<never> {
    await this.readItem(userId, id, itemId, NOTHING_MORE);
    throw new ItemNotDeletableError();
  }

  /** @throws ConversationNotFoundError, ItemNotFoundError */
  async readItem(userId: number, id: string, itemId: string, included: Inclusion): Promise<ResponseItem> {
    return this.items.get(userId, (await this.find(userId, id)).id, itemId, included);
  }

  /** Checks only the storage, not the quota of messages, because no model is called. */
  private turnsOf(sender: Sender, items: NewItemsBody['items'], signal: AbortSignal): Promise<Turn[]> {
    return this.inputs.turns(sender.userId, items, signal, () => this.appender.requireQuota(sender), {
      field: 'items',
    });
  }

  /**
   * An upsert, so that two parallel changes both succeed and the last one wins.
   *
   * @throws StorageQuotaExceededError
   */
  private async saveMetadata(
    manager: EntityManager,
    keeper: Keeper,
    id: number,
    metadata: Record<string, string>,
  ): Promise<void> {
    const isEmpty = Object.keys(metadata).length === 0;
    await this.storage.keepMetadata(manager, keeper, id, isEmpty ? 0 : Buffer.byteLength(JSON.stringify(metadata)));
    await upsertRows(manager, ConversationEntity, [{ id, userId: keeper.userId, metadata }], ['id']);
  }

  private async find(userId: number, id: string): Promise<FoundChat> {
    try {
      return await this.reading.get(userId, readConversationId(id) ?? 0);
    } catch (error) {
      throw error instanceof ChatNotFoundError ? new ConversationNotFoundError(id) : error;
    }
  }
}

function toDto({ id, createdAt }: FoundChat, metadata: Record<string, string>): ConversationDto {
  return { id: conversationId(id), object: 'conversation', created_at: toUnixSeconds(createdAt), metadata };
}
