import { RowQuery } from '../../../database/statements/query';
import { ChatEntity } from './chat.entity';
import { ChatCountEntity } from './chat-count.entity';
import { MessageEntity } from './message.entity';

/** The columns that requests need. Reading all columns would take 50 % longer. */
const CHAT_MEMBERS = [
  'id',
  'userId',
  'agentId',
  'title',
  'isPinned',
  'isArchived',
  'tags',
  'knowledge',
  'messageCount',
  'lastMessageAt',
  'activeMessageId',
  'lineEndId',
  'lastReplyId',
  'readMessageId',
  'createdAt',
  'updatedAt',
] as const;

/** The columns that clients see. */
const SHOWN_MEMBERS = CHAT_MEMBERS.filter((member) => member !== 'lineEndId' && member !== 'lastReplyId');

/** The columns of a message that clients see. */
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

/** A conversation with the columns that clients see. */
export type ShownChat = Pick<ChatEntity, (typeof SHOWN_MEMBERS)[number]>;

/** A conversation with the columns that requests need. */
export type ReadChat = Pick<ChatEntity, (typeof CHAT_MEMBERS)[number]>;

/** A message with the columns that clients see. */
export type ReadMessage = Pick<MessageEntity, (typeof MESSAGE_MEMBERS)[number]>;

/*
 * Frequent queries for conversations. Each comment lists the parameters in order. All queries but `CHAT_TO_RESTORE`
 * exclude the trash.
 */

/** ID, user. */
export const CHAT_OF_USER = new RowQuery(
  ChatEntity,
  ({ id, userId, deletedAt }) => `WHERE ${id} = ? AND ${userId} = ? AND ${deletedAt} IS NULL`,
  CHAT_MEMBERS,
);

/** ID, user. Locks the conversation until the end of the transaction. */
export const CHAT_TO_CHANGE = new RowQuery(
  ChatEntity,
  ({ id, userId, deletedAt }, lock) => `WHERE ${id} = ? AND ${userId} = ? AND ${deletedAt} IS NULL${lock}`,
  CHAT_MEMBERS,
);

/**
 * ID, user, instant: a conversation deleted after that instant. Locks the conversation until the end of the
 * transaction.
 */
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
  SHOWN_MEMBERS,
  { json: 'list' },
);

/** User, whether archived, limit, offset. */
export const NEWEST_CHATS_BY_ARCHIVE = new RowQuery(
  ChatEntity,
  ({ userId, isArchived, deletedAt, updatedAt, id }) =>
    `WHERE ${userId} = ? AND ${isArchived} = ? AND ${deletedAt} IS NULL ` +
    `ORDER BY ${updatedAt} DESC, ${id} DESC LIMIT ? OFFSET ?`,
  SHOWN_MEMBERS,
  { json: 'list' },
);

/** User. */
export const CHAT_COUNTS = new RowQuery(ChatCountEntity, ({ userId }) => `WHERE ${userId} = ?`);

/** Conversation, limit. Only the current line. */
export const NEWEST_MESSAGES = new RowQuery(
  MessageEntity,
  ({ chatId, isCurrent, position, id }) =>
    `WHERE ${chatId} = ? AND ${isCurrent} = 1 ORDER BY ${position} DESC, ${id} DESC LIMIT ?`,
  MESSAGE_MEMBERS,
  { json: 'cells' },
);
