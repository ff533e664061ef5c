import { Injectable } from '@nestjs/common';
import { ConversationQuery, stepsOf, type StoredMessage } from '../../chat/chat.api';
import type { Inclusion } from '../included.decorator';
import { ItemNotFoundError } from '../responses/response.errors';
import type { ResponseItem } from '../responses/wire/response-item';
import { itemsOfMessage } from '../responses/wire/stored-items';
import { messageOfItem } from '../responses/wire/wire-ids';
import { ItemFiles } from './item-files';
import { type ItemListDto, type ItemListQueryDto, toItemList } from './item-list';

/** Messages that are read at once. */
const BATCH = 100;

/** A page ends after so many bytes of texts, whatever it has. */
const PAGE_BYTES = 4 * 1_048_576;

/** The items of a conversation: those of its messages on the current line. */
@Injectable()
export class ConversationItems {
  constructor(
    private readonly conversations: ConversationQuery,
    private readonly files: ItemFiles,
  ) {}

  /** @throws ItemNotFoundError for an unknown `after` */
  async list(chatId: number, query: ItemListQueryDto, included: Inclusion): Promise<ItemListDto> {
    const { after, limit, order } = query;
    const isBackwards = order === 'desc';
    let from = after === undefined ? null : messageOfItem(after);
    if (after !== undefined && from === null) {
      throw new ItemNotFoundError(after, 'after');
    }
    const items: ResponseItem[] = [];
    for (let isFirst = true; items.length <= limit; isFirst = false) {
      const part = { from, isBackwards, limit: BATCH };
      const { messages, isCut } = await this.conversations.cutLine(chatId, part, PAGE_BYTES);
      const added = isFirst ? messages : messages.slice(1);
      const found = await this.itemsOf(added, query, included);
      items.push(...(isFirst && after !== undefined ? behind(found, after) : found));
      if (isCut && items.length > 0) {
        return toItemList(items, limit, true);
      }
      if (!isCut && messages.length < BATCH) {
        break;
      }
      from = messages.at(-1)?.id ?? null;
    }
    return toItemList(items, limit);
  }

  /** @throws ItemNotFoundError */
  async get(userId: number, chatId: number, id: string, included: Inclusion): Promise<ResponseItem> {
    const messageId = messageOfItem(id);
    const messages = messageId === null ? [] : await this.conversations.find(userId, [messageId]);
    const own = messages.filter((message) => message.chatId === chatId);
    const item = (await this.showAll(own, included)).find((one) => one.id === id);
    if (item === undefined) {
      throw new ItemNotFoundError(id, 'item_id');
    }
    return item;
  }

  /** All items of messages, in their order. */
  async showAll(messages: readonly StoredMessage[], included: Inclusion): Promise<ResponseItem[]> {
    const files = await this.files.urlsOf(messages, included);
    return messages.flatMap((message) => itemsOfMessage(message, stepsOf(message), files));
  }

  private async itemsOf(
    messages: readonly StoredMessage[],
    query: ItemListQueryDto,
    included: Inclusion,
  ): Promise<ResponseItem[]> {
    const files = await this.files.urlsOf(messages, included);
    return messages.flatMap((message) => {
      const items = itemsOfMessage(message, stepsOf(message), files);
      return query.order === 'asc' ? items : items.reverse();
    });
  }
}

/** @throws ItemNotFoundError when the item is not there */
function behind(items: ResponseItem[], after: string): ResponseItem[] {
  const place = items.findIndex(({ id }) => id === after);
  if (place < 0) {
    throw new ItemNotFoundError(after, 'after');
  }
  return items.slice(place + 1);
}
