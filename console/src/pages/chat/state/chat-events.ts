import type { OwnBudgetDto } from 'chat-service-client';
import type { Chat, Quota } from './types';

/** A change to a chat, or to the remaining quota or budget. */
export type ChatEvent =
  | { kind: 'changed'; chat: Chat }
  | { kind: 'removed'; chatId: number }
  | { kind: 'quota'; quota: Quota }
  | { kind: 'budget'; budgets: OwnBudgetDto[] };

/** Distributes changes within the page and to other tabs of the same user. */
export class ChatEvents {
  private readonly channel: BroadcastChannel;
  private readonly listeners = new Set<(event: ChatEvent) => void>();

  constructor(userId: number | null) {
    this.channel = new BroadcastChannel(`console-chats-${userId}`);
    this.channel.onmessage = ({ data }: MessageEvent<ChatEvent>) => this.receive(data);
  }

  publish(event: ChatEvent): void {
    this.channel.postMessage(event);
    this.receive(event);
  }

  /** Applies a change in this tab only, because every tab receives it by itself. */
  receive(event: ChatEvent): void {
    this.listeners.forEach((listener) => listener(event));
  }

  /** Calls the listener on changes here and in other tabs. Returns a function that unsubscribes it. */
  subscribe(listener: (event: ChatEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  dispose(): void {
    this.channel.close();
    this.listeners.clear();
  }
}
