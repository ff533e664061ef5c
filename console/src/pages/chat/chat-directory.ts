import { batch, computed, effect, signal } from '@preact/signals';
import { onNews } from './chat-news';
import { ChatPages } from './chat-pages';

/** What the list at the side shows. */
export const isArchiveShown = signal(false);
export const searchText = signal('');
/** Only conversations with this label; empty: all. */
export const chosenTag = signal('');

const open = new ChatPages({ isArchived: false, text: '', tag: '' });

/** The list at the side. */
export const pages = computed(() => {
  const [text, tag] = [searchText.value, chosenTag.value];
  if (text !== '') return new ChatPages({ isArchived: false, text, tag });
  if (tag !== '') return new ChatPages({ isArchived: false, text, tag }, open.chats.peek());
  return isArchiveShown.value ? new ChatPages({ isArchived: true, text, tag }) : open;
});

effect(() => void pages.value.loadMore());

onNews((news) => {
  // The open list lives on while another one is shown.
  for (const list of new Set([open, pages.peek()])) {
    if (news.kind === 'changed') list.change(news.chat);
    else if (news.kind === 'removed') list.remove(news.chatId);
    else if (news.kind === 'title') list.retitle(news.chatId, news.title);
    else void list.refresh();
  }
});

/** The labels in use, as far as conversations are loaded, and the chosen one. */
export const knownTags = computed(() => {
  const tags = new Set([...open.chats.value.flatMap((chat) => chat.tags), chosenTag.value]);
  return [...tags].filter(Boolean).toSorted((one, other) => one.localeCompare(other));
});

export function showArchive(isShown: boolean): void {
  batch(() => {
    isArchiveShown.value = isShown;
    searchText.value = '';
    chosenTag.value = '';
  });
}
