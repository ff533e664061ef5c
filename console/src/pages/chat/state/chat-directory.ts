import { batch, computed, effect, signal } from '@preact/signals';
import { compareWords } from '../../../formats';
import type { ChatNews, News } from './chat-news';
import { ChatPages } from './chat-pages';

/** After so long out of view other devices may have changed much. */
const FRESH_MILLISECONDS = 60_000;

/** The list at the side: all conversations, or what a search, a label or the archive leaves. */
export class ChatDirectory {
  readonly isArchiveShown = signal(false);
  readonly searchText = signal('');
  /** Only conversations with this label; empty: all. */
  readonly chosenTag = signal('');

  readonly pages = computed(() => {
    const [text, tag] = [this.searchText.value, this.chosenTag.value];
    if (text !== '') return new ChatPages({ isArchived: false, text, tag });
    if (tag !== '') return new ChatPages({ isArchived: false, text, tag }, this.open.chats.peek());
    return this.isArchiveShown.value ? new ChatPages({ isArchived: true, text, tag }) : this.open;
  });

  /** The labels in use, as far as conversations are loaded, and the chosen one. */
  readonly knownTags = computed(() => {
    const tags = new Set([...this.open.chats.value.flatMap((chat) => chat.tags), this.chosenTag.value]);
    return [...tags].filter(Boolean).toSorted(compareWords);
  });

  private readonly open = new ChatPages({ isArchived: false, text: '', tag: '' });
  private readonly endings: (() => void)[];
  private readAt = Date.now();

  constructor(news: ChatNews) {
    this.endings = [effect(() => void this.pages.value.loadMore()), news.listen((one) => this.hear(one))];
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
    this.readAt = Date.now();
    void this.pages.peek().refresh();
  }

  dispose(): void {
    this.endings.forEach((end) => end());
  }

  private hear(news: News): void {
    // The open list lives on while another one is shown.
    for (const list of new Set([this.open, this.pages.peek()])) {
      if (news.kind === 'changed') list.change(news.chat);
      if (news.kind === 'removed') list.remove(news.chatId);
    }
  }
}
