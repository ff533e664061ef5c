import type { ChatEvent, ChatEvents } from '../chat-events';
import type { Chat } from '../types';
import { OpenChat, type OpenChatContext } from './open-chat';

/** OpenChats that are shown, or whose reply is being read. */
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

  /** Forgets a chat that is left; one whose reply is being written is read on, for when the person comes back. */
  leave(openChat: OpenChat): void {
    if (openChat.reply.live.peek() === null) this.opened.delete(openChat.id);
  }

  /** Reads what another device may have done while nobody looked. */
  catchUp(): void {
    this.opened.forEach((openChat) => void openChat.catchUp());
  }

  /** The same of one chat. False when it is not open. */
  catchUpWith(id: number): boolean {
    const openChat = this.opened.get(id);
    void openChat?.catchUp();
    return openChat !== undefined;
  }

  /** An open chat as it was read. */
  chatOf(id: number): Chat | undefined {
    return this.opened.get(id)?.stored.chat.peek() ?? undefined;
  }

  /** Whether an open chat shows that an action waits; undefined when it is not open. */
  isAsked(id: number, actionId: number): boolean | undefined {
    return this.opened
      .get(id)
      ?.stored.actions.peek()
      .some((action) => action.id === actionId);
  }

  /** Ends the reading of replies; they are written and stored all the same. */
  dispose(): void {
    this.opened.forEach((openChat) => openChat.leave());
  }

  private take(event: ChatEvent): void {
    if (event.kind === 'changed') this.opened.get(event.chat.id)?.take(event.chat);
  }
}
