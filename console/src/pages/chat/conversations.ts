import { onNews } from './chat-news';
import { Conversation } from './conversation';

/** Conversations that are shown, or whose reply is being read. */
const opened = new Map<number, Conversation>();

export function openConversation(id: number): Conversation {
  const conversation = opened.get(id) ?? new Conversation(id);
  opened.set(id, conversation);
  return conversation;
}

/** Forgets a conversation that is left; one whose reply is being written is read on, for when the person comes back. */
export function leaveConversation(conversation: Conversation): void {
  if (conversation.live.peek() === null) opened.delete(conversation.id);
}

onNews((news, isFromHere) => {
  if (news.kind === 'changed') opened.get(news.chat.id)?.show(news.chat);
  if (news.kind === 'title') opened.get(news.chatId)?.retitle(news.title);
  if (news.kind === 'reply' && !isFromHere) void opened.get(news.chatId)?.catchUp();
});

/** A page that was out of view may have missed what another device did. */
addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') opened.forEach((conversation) => void conversation.catchUp());
});
