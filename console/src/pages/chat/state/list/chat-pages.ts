import { type Signal, signal } from '@preact/signals';
import { api } from '../../../../app/api';
import type { Chat } from '../types';

const PAGE = 100;

export interface ChatFilter {
  isArchived: boolean;
  /** Text in titles and messages; empty: any. */
  text: string;
  /** Only chats with this label; empty: any. */
  tag: string;
}

/** A list of chats that is read page by page, the most recently changed first. */
export class ChatPages {
  readonly chats: Signal<Chat[]>;
  readonly isComplete = signal(false);
  readonly isLoading = signal(false);
  readonly error = signal<unknown>(null);
  private offset = 0;

  /** @param known chats that are there already, to be shown at once where they belong */
  constructor(
    private readonly filter: ChatFilter,
    known: Chat[] = [],
  ) {
    this.chats = signal(known.filter((chat) => hasTag(chat, filter.tag)));
  }

  async loadMore(): Promise<void> {
    if (this.isLoading.peek() || this.isComplete.peek()) return;
    this.isLoading.value = true;
    this.error.value = null;
    try {
      const page = await this.read(PAGE, this.offset);
      // Pinned ones stand above, however long ago they changed. A page that is not full has them all.
      const pinned = this.offset === 0 && page.length === PAGE ? await this.read(PAGE, 0, true) : [];
      this.offset += page.length;
      this.isComplete.value = page.length < PAGE;
      this.put([...pinned, ...page]);
    } catch (error) {
      this.error.value = error;
    }
    this.isLoading.value = false;
  }

  /** Reads the newest again. */
  async refresh(): Promise<void> {
    // A list that could not be had is not made worse.
    this.put(await this.read(20, 0).catch(() => []));
  }

  /** A chat as it is now: in its place, or gone from this list. */
  change(chat: Chat): void {
    const { isArchived, text, tag } = this.filter;
    const isKnown = this.chats.peek().some(({ id }) => id === chat.id);
    const isElsewhere = text === '' && chat.is_archived !== isArchived;
    if (isElsewhere || !hasTag(chat, tag)) this.remove(chat.id);
    else if (isKnown || text === '') this.put([chat]);
  }

  remove(id: number): void {
    const kept = this.chats.peek().filter((chat) => chat.id !== id);
    // What comes after it has moved up.
    this.offset -= this.chats.peek().length - kept.length;
    this.chats.value = kept;
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
    const byId = new Map([...this.chats.peek(), ...read].map((chat) => [chat.id, chat]));
    this.chats.value = [...byId.values()].sort((one, other) =>
      one.updated_at < other.updated_at ? 1 : one.updated_at > other.updated_at ? -1 : other.id - one.id,
    );
  }
}

function hasTag({ tags }: Chat, tag: string): boolean {
  return tag === '' || tags.includes(tag);
}
