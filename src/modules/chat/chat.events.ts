import type { DomainEvent } from '../../common/events/domain-events';
import type { ChatEntity } from './entities/chat.entity';
import type { FeedbackRating, MessageEntity } from './entities/message.entity';

/** What happened to a conversation or one of its messages; published in the transaction in which it happened. */
export type ChatEventType = 'chat.created' | 'chat.updated' | 'chat.deleted' | 'chat.restored';

/** How a reply can end: `interrupted` ones are told as failed, with their true status in the data. */
export type ReplyEndEventType = 'message.completed' | 'message.stopped' | 'message.failed';

type ChatFacts = Pick<ChatEntity, 'id' | 'userId' | 'agentId' | 'title'>;

/** Whose conversation a message stands in, and the agent it is bound to. */
type Belonging = Pick<ChatEntity, 'userId' | 'agentId'>;

/** @param changes further members of the data, such as the fields that were changed */
export function chatEvent(type: ChatEventType, chat: ChatFacts, changes: object = {}): DomainEvent {
  return {
    type,
    userId: chat.userId,
    data: { chat_id: chat.id, ...belonging(chat), ...changes },
    content: { title: chat.title },
  };
}

/** A user's message was stored. */
export function messageCreatedEvent(chat: Belonging, message: MessageFacts): DomainEvent {
  return {
    type: 'message.created',
    userId: chat.userId,
    data: {
      chat_id: message.chatId,
      ...belonging(chat),
      message_id: message.id,
      role: message.role,
      status: message.status,
      created_at: message.createdAt.toISOString(),
    },
    content: { content: message.content },
  };
}

type MessageFacts = Pick<MessageEntity, 'id' | 'chatId' | 'role' | 'status' | 'content' | 'createdAt'>;

/** A reply has ended, however it ended. */
export function replyEndedEvent(chat: Belonging, reply: ReplyFacts): DomainEvent {
  return {
    type: replyEndEventType(reply.status),
    userId: chat.userId,
    data: {
      chat_id: reply.chatId,
      ...belonging(chat),
      message_id: reply.id,
      parent_id: reply.parentId,
      role: 'assistant',
      status: reply.status,
      finish_reason: reply.finishReason,
      model: reply.model,
      token_usage: reply.tokenUsage,
      error: reply.failure && { code: reply.failure.code, retryable: reply.failure.retryable },
      completed_at: reply.completedAt?.toISOString() ?? null,
    },
    content: { content: reply.content, reasoning: reply.reasoning },
  };
}

type ReplyFacts = Pick<
  MessageEntity,
  | 'id'
  | 'chatId'
  | 'parentId'
  | 'status'
  | 'finishReason'
  | 'model'
  | 'tokenUsage'
  | 'failure'
  | 'completedAt'
  | 'content'
  | 'reasoning'
>;

/** A reply was rated, or its rating taken back (`rating: null`). */
export function feedbackEvent(
  chat: Belonging,
  message: Pick<MessageEntity, 'id' | 'chatId'>,
  rating: FeedbackRating | null,
  comment: string | null,
): DomainEvent {
  return {
    type: 'message.feedback',
    userId: chat.userId,
    data: { chat_id: message.chatId, ...belonging(chat), message_id: message.id, rating },
    content: { comment },
  };
}

/** What all these events tell, so that whoever receives everybody's knows whose they are. */
function belonging({ userId, agentId }: Belonging): { user_id: number; agent_id: number } {
  return { user_id: userId, agent_id: agentId };
}

function replyEndEventType(status: MessageEntity['status']): ReplyEndEventType {
  if (status === 'completed' || status === 'stopped') {
    return `message.${status}`;
  }
  return 'message.failed';
}
