import type { OwnBudgetDto } from 'chat-service-client';
import type { Chat, Quota } from './types';

/** What became of a chat, or of what the person may still use. */
export type ChatEvent =
  | { kind: 'changed'; chat: Chat }
  | { kind: 'removed'; chatId: number }
  | { kind: 'quota'; quota: Quota }
  | { kind: 'budget'; budgets: OwnBudgetDto[] };

/** Brings changes to every part of the page, and to the other tabs of the same person. */
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

  /** What every tab hears by itself. */
  receive(event: ChatEvent): void {
    this.listeners.forEach((listener) => listener(event));
  }

  /** Is called at changes here and in other tabs. Returns how to stop. */
  subscribe(listener: (event: ChatEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  dispose(): void {
    this.channel.close();
    this.listeners.clear();
  }
}
