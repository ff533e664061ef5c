import { Injectable } from '@nestjs/common';
import { bulkhead, BulkheadRejectedError } from 'cockatiel';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { type CutPart, type LinePart, PAGE_BYTES, type StoredMessage } from '../../chat/chat.api';
import { ActionLists, isStoredFile, stepsOf, type StoredFile } from '../../generation/generation.api';
import { type ToolOrigin, ToolRegistry } from '../../tool/tool.api';
import { INCLUDED_IMAGES, type Inclusion } from '../included.decorator';
import { ListedTools } from '../responses/listed-tools.service';
import { ItemNotFoundError } from '../responses/response.errors';
import type { ToolListing } from '../responses/wire/listed-tools';
import type { ResponseItem } from '../responses/wire/response-item';
import { calledHere, type FileUrls, itemsOfMessage } from '../responses/wire/stored-items';
import { messageOfItem } from '../responses/wire/wire-ids';
import { behind, type ItemListDto, toItemList } from './item-list';
import type { ItemListQueryDto } from './item-list-query.dto';

/**
 * The number of messages whose images are loaded concurrently, and that wait. The images of one message take up to 50
 * MiB until they are sent.
 */
const AT_ONCE = 2;
const MOST_WAITING = 1_000;

/** Loads the images of messages when a request includes them. */
@Injectable()
export class ItemFiles {
  private readonly turns = bulkhead(AT_ONCE, MOST_WAITING);

  constructor(private readonly blobs: BlobStore) {}

  /** @throws ServiceUnavailableError while the storage is unavailable, or if too many requests wait */
  async urlsOf(message: StoredMessage, included: Inclusion): Promise<FileUrls> {
    const images = imagesOf(message, included);
    try {
      return images.length === 0 ? new Map() : await this.turns.execute(() => this.read(images));
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? new ServiceUnavailableError(error) : error;
    }
  }

  private async read(images: readonly StoredFile[]): Promise<FileUrls> {
    const urls = new Map<string, string>();
    for (const { hash, media_type } of images) {
      const data = urls.has(hash) ? null : await this.blobs.get(hash);
      if (data !== null) {
        urls.set(hash, `data:${media_type};base64,${data.toString('base64')}`);
      }
    }
    return urls;
  }
}

/** The approximate length of the data URLs of a message's images. */
function urlBytes(message: StoredMessage, included: Inclusion): number {
  return imagesOf(message, included).reduce((sum, { bytes }) => sum + Math.ceil((bytes * 4) / 3), 0);
}

function imagesOf({ parts }: StoredMessage, included: Inclusion): StoredFile[] {
  return included.has(INCLUDED_IMAGES) ? (parts ?? []).filter(isStoredFile).filter(({ type }) => type === 'image') : [];
}

/** Messages in one batch. */
const BATCH = 100;

/** Reads a part of the messages whose items are listed. */
type ReadPart = (part: LinePart, limitBytes: number) => Promise<CutPart>;

/** Creates pages of the items of messages. A page is cut at `PAGE_BYTES` of texts and images, whatever its limit is. */
@Injectable()
export class ItemPages {
  constructor(
    private readonly files: ItemFiles,
    private readonly tools: ToolRegistry,
    private readonly lists: ListedTools,
    private readonly actions: ActionLists,
  ) {}

  /** @throws ItemNotFoundError for an unknown `after` */
  async read(read: ReadPart, { after, limit, order }: ItemListQueryDto, included: Inclusion): Promise<ItemListDto> {
    const isBackwards = order === 'desc';
    let from = after === undefined ? null : messageOfItem(after);
    if (after !== undefined && from === null) {
      throw new ItemNotFoundError(after, 'after');
    }
    const items: ResponseItem[] = [];
    let left = PAGE_BYTES;
    for (let isFirst = true; ; isFirst = false) {
      const { messages, bytes, isCut } = await read({ from, isBackwards, limit: BATCH }, left);
      left -= bytes;
      if (after !== undefined && isFirst && messages.length === 0) {
        throw new ItemNotFoundError(after, 'after');
      }
      const listed = await this.lists.of(messages.map(({ id }) => id));
      const words = await this.wordsAbout(messages);
      for (const [index, message] of (isFirst ? messages : messages.slice(1)).entries()) {
        const lists = listed.get(message.id) ?? null;
        left -= urlBytes(message, included) + (lists === null ? 0 : JSON.stringify(lists).length);
        if (items.length > limit || (left < 0 && items.length > 0)) {
          return toItemList(items, limit, true);
        }
        const shown = await this.shown(message, included, lists, words.get(message.id));
        const inOrder = isBackwards ? shown.reverse() : shown;
        items.push(...(isFirst && index === 0 && after !== undefined ? behind(inOrder, after) : inOrder));
      }
      if (items.length > limit || (isCut && items.length > 0) || (!isCut && messages.length < BATCH)) {
        return toItemList(items, limit, isCut);
      }
      from = messages.at(-1)?.id ?? null;
    }
  }

  /** All items of a message, in order. */
  async itemsOf(message: StoredMessage, included: Inclusion): Promise<ResponseItem[]> {
    const listed = await this.lists.of([message.id]);
    const words = await this.wordsAbout([message]);
    return this.shown(message, included, listed.get(message.id) ?? null, words.get(message.id));
  }

  /** The first decisions about the calls of these messages, by message and call number. */
  private async wordsAbout(messages: readonly StoredMessage[]): Promise<Map<number, Map<number, boolean>>> {
    const calling = messages.filter((message) => calledHere(message).length > 0).map(({ id }) => id);
    const words = new Map<number, Map<number, boolean>>();
    for (const { action, call } of await this.actions.ofMessages(calling)) {
      const { messageId, kind, state, decision } = action;
      const known = words.get(messageId) ?? new Map<number, boolean>();
      if (kind === 'approve' && state === 'decided' && !known.has(call.number)) {
        words.set(messageId, known.set(call.number, decision === 'approve'));
      }
    }
    return words;
  }

  private async shown(
    message: StoredMessage,
    included: Inclusion,
    listed: readonly ToolListing[] | null,
    allowed: ReadonlyMap<number, boolean> | undefined,
  ): Promise<ResponseItem[]> {
    const files = await this.files.urlsOf(message, included);
    const origins = new Map<string, ToolOrigin>();
    for (const name of calledHere(message)) {
      const origin = await this.tools.originOf(name);
      if (origin !== null) origins.set(name, origin);
    }
    return itemsOfMessage(message, stepsOf(message), { files, origins, listed, allowed });
  }
}
