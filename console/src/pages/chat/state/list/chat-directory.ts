import { batch, computed, effect, signal } from '@preact/signals';
import { compareWords } from '../../../../app/i18n/formats';
import type { ChatEvent, ChatEvents } from '../chat-events';
import type { Chat } from '../types';
import { ChatPages } from './chat-pages';

/** After so long out of view other devices may have changed much. */
const FRESH_MILLISECONDS = 60_000;

/** The list at the side: all chats, or what a search, a label or the archive leaves. */
export class ChatDirectory {
  readonly isArchiveShown = signal(false);
  readonly searchText = signal('');
  /** Only chats with this label; empty: all. */
  readonly chosenTag = signal('');

  readonly pages = computed(() => {
    const [text, tag] = [this.searchText.value, this.chosenTag.value];
    if (text !== '') return new ChatPages({ isArchived: false, text, tag });
    if (tag !== '') return new ChatPages({ isArchived: false, text, tag }, this.open.chats.peek());
    return this.isArchiveShown.value ? new ChatPages({ isArchived: true, text, tag }) : this.open;
  });

  /** The labels in use, as far as chats are loaded, and the chosen one. */
  readonly knownTags = computed(() => {
    const tags = new Set([...this.open.chats.value.flatMap((chat) => chat.tags), this.chosenTag.value]);
    return [...tags].filter(Boolean).toSorted(compareWords);
  });

  private readonly open = new ChatPages({ isArchived: false, text: '', tag: '' });
  private readonly endings: (() => void)[];
  private readAt = Date.now();

  constructor(events: ChatEvents) {
    this.endings = [effect(() => void this.pages.value.loadMore()), events.subscribe((event) => this.take(event))];
  }

  showArchive(isShown: boolean): void {
    batch(() => {
      this.isArchiveShown.value = isShown;
      this.searchText.value = '';
      this.chosenTag.value = '';
    });
  }

  /** Asks for what other devices may have done while nobody looked. */
  catchUp(): void {
    if (Date.now() - this.readAt < FRESH_MILLISECONDS) return;
    void this.refresh();
  }

  /** Reads the newest again. */
  async refresh(): Promise<void> {
    this.readAt = Date.now();
    const shown = this.pages.peek();
    // A search shows what it has found.
    await (this.searchText.peek() === '' ? shown : this.open).refresh();
  }

  /** A chat as the list knows it. */
  find(id: number): Chat | undefined {
    return [...this.pages.peek().chats.peek(), ...this.open.chats.peek()].find((chat) => chat.id === id);
  }

  dispose(): void {
    this.endings.forEach((end) => end());
  }

  private take(event: ChatEvent): void {
    // The open list lives on while another one is shown.
    for (const list of new Set([this.open, this.pages.peek()])) {
      if (event.kind === 'changed') list.change(event.chat);
      if (event.kind === 'removed') list.remove(event.chatId);
    }
  }
}
