import type { Chat, Quota } from '../types';

/** What became of a conversation, or of what the person may still use. */
export type News =
  | { kind: 'changed'; chat: Chat }
  | { kind: 'removed'; chatId: number }
  | { kind: 'quota'; quota: Quota };

/** Tells every part of the page, and the other tabs of the same person. */
export class ChatNews {
  private readonly channel: BroadcastChannel;
  private readonly listeners = new Set<(news: News) => void>();

  constructor(userId: number | null) {
    this.channel = new BroadcastChannel(`console-chats-${userId}`);
    this.channel.onmessage = ({ data }: MessageEvent<News>) => this.tellHere(data);
  }

  tell(news: News): void {
    this.channel.postMessage(news);
    this.tellHere(news);
  }

  /** Hears of changes here and in other tabs. Returns how to stop. */
  listen(listener: (news: News) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  dispose(): void {
    this.channel.close();
    this.listeners.clear();
  }

  private tellHere(news: News): void {
    this.listeners.forEach((listener) => listener(news));
  }
}
