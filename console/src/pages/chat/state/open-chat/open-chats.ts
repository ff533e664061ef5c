import type { ChatEvent, ChatEvents } from '../chat-events';
import type { Chat } from '../types';
import { OpenChat, type OpenChatContext } from './open-chat';

/** The chats on screen, and those whose reply is still being followed. */
export class OpenChats {
  private readonly opened = new Map<number, OpenChat>();

  constructor(
    private readonly home: OpenChatContext,
    events: ChatEvents,
  ) {
    events.subscribe((event) => this.take(event));
  }

  open(id: number): OpenChat {
    const openChat = this.opened.get(id) ?? new OpenChat(id, this.home);
    this.opened.set(id, openChat);
    return openChat;
  }

  /** Removes a chat that was left. If its reply is in progress, the chat is kept for the user's return. */
  leave(openChat: OpenChat): void {
    if (openChat.reply.live.peek() === null) this.opened.delete(openChat.id);
  }

  /** Loads changes that other devices have made while the page was hidden. */
  catchUp(): void {
    this.opened.forEach((openChat) => void openChat.catchUp());
  }

  /** The same for one chat. Returns false if it is not open. */
  catchUpWith(id: number): boolean {
    const openChat = this.opened.get(id);
    void openChat?.catchUp();
    return openChat !== undefined;
  }

  /** The current state of an open chat. */
  chatOf(id: number): Chat | undefined {
    return this.opened.get(id)?.stored.chat.peek() ?? undefined;
  }

  /** Whether an open chat shows a pending action; undefined if the chat is not open. */
  isAsked(id: number, actionId: number): boolean | undefined {
    return this.opened
      .get(id)
      ?.stored.actions.peek()
      .some((action) => action.id === actionId);
  }

  /** Stops following replies. The service still completes and stores them. */
  dispose(): void {
    this.opened.forEach((openChat) => openChat.leave());
  }

  private take(event: ChatEvent): void {
    if (event.kind === 'changed') this.opened.get(event.chat.id)?.take(event.chat);
  }
}
