import type { Chat } from './types';

/** What became of a conversation. */
export type News =
  | { kind: 'changed'; chat: Chat }
  /** A reply was begun, or has ended. */
  | { kind: 'reply'; chatId: number }
  | { kind: 'title'; chatId: number; title: string }
  | { kind: 'removed'; chatId: number };

const channel = new BroadcastChannel('console-chats');
const listeners = new Set<(news: News) => void>();

/** Tells every part of the page, and other tabs. */
export function tellNews(news: News): void {
  channel.postMessage(news);
  listeners.forEach((listener) => listener(news));
}

/** Hears of changes here and in other tabs. Returns how to stop. */
export function onNews(listener: (news: News, isFromHere: boolean) => void): () => void {
  const here = (news: News): void => listener(news, true);
  const elsewhere = ({ data }: MessageEvent<News>): void => listener(data, false);
  listeners.add(here);
  channel.addEventListener('message', elsewhere);
  return () => {
    listeners.delete(here);
    channel.removeEventListener('message', elsewhere);
  };
}
