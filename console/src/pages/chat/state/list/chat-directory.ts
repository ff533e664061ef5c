import { batch, computed, effect, signal } from '@preact/signals';
import type { FirstChatsDto } from 'chat-service-client';
import { compareWords } from '../../../../app/i18n/formats';
import type { ChatEvent, ChatEvents } from '../chat-events';
import type { Chat } from '../types';
import { ChatPages } from './chat-pages';

/** After this time in the background, the list may be outdated. */
const FRESH_MILLISECONDS = 60_000;

/** The list of chats: all of them, search results, those with a label, or the archive. */
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

  /** Labels of the chats loaded so far, and the selected one. */
  readonly knownTags = computed(() => {
    const tags = new Set([...this.open.chats.value.flatMap((chat) => chat.tags), this.chosenTag.value]);
    return [...tags].filter(Boolean).toSorted(compareWords);
  });

  private readonly open: ChatPages;
  private readonly endings: (() => void)[];
  private readAt = Date.now();

  /** @param first chats from the bootstrap response */
  constructor(events: ChatEvents, first?: FirstChatsDto) {
    this.open = new ChatPages({ isArchived: false, text: '', tag: '' }, [], first);
    this.endings = [effect(() => void this.pages.value.loadMore()), events.subscribe((event) => this.take(event))];
  }

  showArchive(isShown: boolean): void {
    batch(() => {
      this.isArchiveShown.value = isShown;
      this.searchText.value = '';
      this.chosenTag.value = '';
    });
  }

  /** Loads changes that other devices have made while the page was hidden. */
  catchUp(): void {
    if (Date.now() - this.readAt < FRESH_MILLISECONDS) return;
    void this.refresh();
  }

  /** Reloads the most recent chats. */
  async refresh(): Promise<void> {
    this.readAt = Date.now();
    const shown = this.pages.peek();
    // Search results are not reloaded.
    await (this.searchText.peek() === '' ? shown : this.open).refresh();
  }

  /** Returns a chat from the lists, if it is loaded. */
  find(id: number): Chat | undefined {
    return [...this.pages.peek().chats.peek(), ...this.open.chats.peek()].find((chat) => chat.id === id);
  }

  dispose(): void {
    this.endings.forEach((end) => end());
  }

  private take(event: ChatEvent): void {
    // The main list is updated even while another one is shown.
    for (const list of new Set([this.open, this.pages.peek()])) {
      if (event.kind === 'changed') list.change(event.chat);
      if (event.kind === 'removed') list.remove(event.chatId);
    }
  }
}
