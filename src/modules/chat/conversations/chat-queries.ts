import { RowQuery } from '../../../database/row-query';
import { ChatEntity } from './chat.entity';
import { ChatCountEntity } from './chat-count.entity';
import { MessageEntity } from './message.entity';

/*
 * What most requests read of conversations; the comment names the parameters. All but the one to restore conversations find
 * none in the trash.
 */

/** Id, user. */
export const CHAT_OF_USER = new RowQuery(
  ChatEntity,
  ({ id, userId, deletedAt }) => `WHERE ${id} = ? AND ${userId} = ? AND ${deletedAt} IS NULL`,
);

/** Id, user. It locks the conversation until the end of the transaction. */
export const CHAT_TO_CHANGE = new RowQuery(
  ChatEntity,
  ({ id, userId, deletedAt }, lock) => `WHERE ${id} = ? AND ${userId} = ? AND ${deletedAt} IS NULL${lock}`,
);

/** Id, user, instant: a conversation that was put into the trash after it. It locks the conversation too. */
export const CHAT_TO_RESTORE = new RowQuery(
  ChatEntity,
  ({ id, userId, deletedAt }, lock) => `WHERE ${id} = ? AND ${userId} = ? AND ${deletedAt} > ?${lock}`,
);

/** User, limit, offset. */
export const NEWEST_CHATS = new RowQuery(
  ChatEntity,
  ({ userId, deletedAt, updatedAt, id }) =>
    `WHERE ${userId} = ? AND ${deletedAt} IS NULL ORDER BY ${updatedAt} DESC, ${id} DESC LIMIT ? OFFSET ?`,
);

/** User, whether archived, limit, offset. */
export const NEWEST_CHATS_BY_ARCHIVE = new RowQuery(
  ChatEntity,
  ({ userId, isArchived, deletedAt, updatedAt, id }) =>
    `WHERE ${userId} = ? AND ${isArchived} = ? AND ${deletedAt} IS NULL ` +
    `ORDER BY ${updatedAt} DESC, ${id} DESC LIMIT ? OFFSET ?`,
);

/** User. */
export const CHAT_COUNTS = new RowQuery(ChatCountEntity, ({ userId }) => `WHERE ${userId} = ?`);

/** Conversation, limit. Only the current line. */
export const NEWEST_MESSAGES = new RowQuery(
  MessageEntity,
  ({ chatId, isCurrent, position, id }) =>
    `WHERE ${chatId} = ? AND ${isCurrent} = 1 ORDER BY ${position} DESC, ${id} DESC LIMIT ?`,
);
