import { Injectable } from '@nestjs/common';
import { ConversationQuery } from '../../chat/chat.api';
import type { Inclusion } from '../included.decorator';
import { ItemNotFoundError } from '../responses/response.errors';
import type { ResponseItem } from '../responses/wire/response-item';
import { messageOfItem } from '../responses/wire/wire-ids';
import type { ItemListDto } from './item-list';
import type { ItemListQueryDto } from './item-list-query.dto';
import { ItemPages } from './item-pages';

/** Most items of a page. */
const MOST_ITEMS = 100;

/** Most messages that one request adds: a body has fewer items. */
const MOST_ADDED = 2_000;

/** The items of a conversation: those of its messages on the current line. */
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

  /** Those of messages that were added by one request. */
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
