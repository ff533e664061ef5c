import { type Signal, signal } from '@preact/signals';
import type { FirstChatsDto } from 'chat-service-client';
import { api } from '../../../../app/api';
import type { Chat } from '../types';

const PAGE = 100;

export interface ChatFilter {
  isArchived: boolean;
  /** Text to find in titles and messages; empty: any. */
  text: string;
  /** Only chats with this label; empty: any. */
  tag: string;
}

/** A paged list of chats, most recently changed first. */
export class ChatPages {
  readonly chats: Signal<Chat[]>;
  readonly isComplete = signal(false);
  readonly isLoading = signal(false);
  readonly error = signal<unknown>(null);
  private offset = 0;

  /**
   * @param known loaded chats to show at once, if they match the filter
   * @param first the first page, if it is already loaded
   */
  constructor(
    private readonly filter: ChatFilter,
    known: Chat[] = [],
    private first?: FirstChatsDto,
  ) {
    this.chats = signal(known.filter((chat) => hasTag(chat, filter.tag)));
  }

  async loadMore(): Promise<void> {
    if (this.isLoading.peek() || this.isComplete.peek()) return;
    this.isLoading.value = true;
    this.error.value = null;
    try {
      const { items: page, pinned } = this.first ?? (await this.next());
      this.first = undefined;
      this.offset += page.length;
      this.isComplete.value = page.length < PAGE;
      this.put([...pinned, ...page]);
    } catch (error) {
      this.error.value = error;
    }
    this.isLoading.value = false;
  }

  /** Reloads the most recent chats. */
  async refresh(): Promise<void> {
    // If the request fails, the list stays unchanged.
    this.put(await this.read(20, 0).catch(() => []));
  }

  /** Updates a chat in the list, or removes it if it no longer matches. */
  change(chat: Chat): void {
    const { isArchived, text, tag } = this.filter;
    const isKnown = this.chats.peek().some(({ id }) => id === chat.id);
    const isElsewhere = text === '' && chat.is_archived !== isArchived;
    if (isElsewhere || !hasTag(chat, tag)) this.remove(chat.id);
    else if (isKnown || text === '') this.put([chat]);
  }

  remove(id: number): void {
    const kept = this.chats.peek().filter((chat) => chat.id !== id);
    // The following chats have moved up.
    this.offset -= this.chats.peek().length - kept.length;
    this.chats.value = kept;
  }

  private async next(): Promise<Pick<FirstChatsDto, 'items' | 'pinned'>> {
    const items = await this.read(PAGE, this.offset);
    // Pinned chats come first, regardless of their last change. An incomplete page already includes all pinned chats.
    const isFirstOfMany = this.offset === 0 && items.length === PAGE;
    return { items, pinned: isFirstOfMany ? await this.read(PAGE, 0, true) : [] };
  }

  private read(limit: number, offset: number, isPinned?: true): Promise<Chat[]> {
    const { isArchived, text, tag } = this.filter;
    return api.chat.list({
      query: {
        limit,
        offset,
        ...(text === '' ? { is_archived: isArchived } : { q: text }),
        ...(tag !== '' && { tag }),
        ...(isPinned && { is_pinned: true }),
      },
    });
  }

  private put(read: Chat[]): void {
    const byId = new Map(this.chats.peek().map((chat) => [chat.id, chat]));
    // Only a search returns where it has found the text.
    for (const chat of read) byId.set(chat.id, { ...chat, match: chat.match ?? byId.get(chat.id)?.match });
    this.chats.value = [...byId.values()].sort((one, other) =>
      one.updated_at < other.updated_at ? 1 : one.updated_at > other.updated_at ? -1 : other.id - one.id,
    );
  }
}

function hasTag({ tags }: Chat, tag: string): boolean {
  return tag === '' || tags.includes(tag);
}
