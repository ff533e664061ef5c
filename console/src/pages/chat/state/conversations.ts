import type { ChatNews, News } from './chat-news';
import { Conversation, type ConversationHome } from './conversation';

/** Conversations that are shown, or whose reply is being read. */
export class Conversations {
  private readonly opened = new Map<number, Conversation>();

  constructor(
    private readonly home: ConversationHome,
    news: ChatNews,
  ) {
    news.listen((one) => this.hear(one));
  }

  open(id: number): Conversation {
    const conversation = this.opened.get(id) ?? new Conversation(id, this.home);
    this.opened.set(id, conversation);
    return conversation;
  }

  /** Forgets a conversation that is left; one whose reply is being written is read on, for when the person comes back. */
  leave(conversation: Conversation): void {
    if (conversation.live.peek() === null) this.opened.delete(conversation.id);
  }

  /** Reads what another device may have done while nobody looked. */
  catchUp(): void {
    this.opened.forEach((conversation) => void conversation.catchUp());
  }

  /** Ends the reading of replies; they are written and stored all the same. */
  dispose(): void {
    this.opened.forEach((conversation) => conversation.leave());
  }

  private hear(news: News): void {
    if (news.kind === 'changed') this.opened.get(news.chat.id)?.hear(news.chat);
  }
}
