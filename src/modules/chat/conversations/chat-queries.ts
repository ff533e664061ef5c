import { RowQuery } from '../../../database/statements/query';
import { ChatEntity } from './chat.entity';
import { ChatCountEntity } from './chat-count.entity';
import { MessageEntity } from './message.entity';

/** What requests need of a conversation: with its other columns, reading one would take half as long again. */
const CHAT_MEMBERS = [
  'id',
  'userId',
  'agentId',
  'title',
  'isPinned',
  'isArchived',
  'tags',
  'messageCount',
  'lastMessageAt',
  'activeMessageId',
  'lineEndId',
  'lastReplyId',
  'readMessageId',
  'createdAt',
  'updatedAt',
] as const;

/** What clients see of a message. */
const MESSAGE_MEMBERS = [
  'id',
  'chatId',
  'role',
  'content',
  'reasoning',
  'parts',
  'status',
  'finishReason',
  'parentId',
  'isCurrent',
  'model',
  'tokenUsage',
  'failure',
  'feedbackRating',
  'feedbackComment',
  'createdAt',
  'updatedAt',
  'completedAt',
  'firstTokenMs',
  'durationMs',
] as const;

/** A conversation as requests need it. */
export type ReadChat = Pick<ChatEntity, (typeof CHAT_MEMBERS)[number]>;

/** A message as clients see it. */
export type ReadMessage = Pick<MessageEntity, (typeof MESSAGE_MEMBERS)[number]>;

/*
 * What most requests read of conversations; the comment names the parameters. All but the one to restore conversations find
 * none in the trash.
 */

/** Id, user. */
export const CHAT_OF_USER = new RowQuery(
  ChatEntity,
  ({ id, userId, deletedAt }) => `WHERE ${id} = ? AND ${userId} = ? AND ${deletedAt} IS NULL`,
  CHAT_MEMBERS,
);

/** Id, user. It locks the conversation until the end of the transaction. */
export const CHAT_TO_CHANGE = new RowQuery(
  ChatEntity,
  ({ id, userId, deletedAt }, lock) => `WHERE ${id} = ? AND ${userId} = ? AND ${deletedAt} IS NULL${lock}`,
  CHAT_MEMBERS,
);

/** Id, user, instant: a conversation that was put into the trash after it. It locks the conversation too. */
export const CHAT_TO_RESTORE = new RowQuery(
  ChatEntity,
  ({ id, userId, deletedAt }, lock) => `WHERE ${id} = ? AND ${userId} = ? AND ${deletedAt} > ?${lock}`,
  CHAT_MEMBERS,
);

/** User, limit, offset. */
export const NEWEST_CHATS = new RowQuery(
  ChatEntity,
  ({ userId, deletedAt, updatedAt, id }) =>
    `WHERE ${userId} = ? AND ${deletedAt} IS NULL ORDER BY ${updatedAt} DESC, ${id} DESC LIMIT ? OFFSET ?`,
  CHAT_MEMBERS,
);

/** User, whether archived, limit, offset. */
export const NEWEST_CHATS_BY_ARCHIVE = new RowQuery(
  ChatEntity,
  ({ userId, isArchived, deletedAt, updatedAt, id }) =>
    `WHERE ${userId} = ? AND ${isArchived} = ? AND ${deletedAt} IS NULL ` +
    `ORDER BY ${updatedAt} DESC, ${id} DESC LIMIT ? OFFSET ?`,
  CHAT_MEMBERS,
);

/** User. */
export const CHAT_COUNTS = new RowQuery(ChatCountEntity, ({ userId }) => `WHERE ${userId} = ?`);

/** Conversation, limit. Only the current line. */
export const NEWEST_MESSAGES = new RowQuery(
  MessageEntity,
  ({ chatId, isCurrent, position, id }) =>
    `WHERE ${chatId} = ? AND ${isCurrent} = 1 ORDER BY ${position} DESC, ${id} DESC LIMIT ?`,
  MESSAGE_MEMBERS,
);
