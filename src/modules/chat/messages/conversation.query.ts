import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull, Not } from 'typeorm';
import { Database } from '../../../database/database';
import { type FindOptions, findRow, findRows, rowExists } from '../../../database/statements/find';
import { allOf, idIn, type RowCondition, type Rows } from '../../../database/statements/row-condition';
import { runStatement } from '../../../database/statements/run-statement';
import { ReplyPieces } from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import { BACKWARDS, FORWARDS, type MessageOrder } from '../conversations/message-order';
import { countWithin, MESSAGE_BYTES, sizesOf } from './page-bytes';

/** A message with all that is stored of it, as other modules see it. */
export type StoredMessage = Readonly<MessageEntity>;

/** A part of the current line. */
export interface LinePart {
  /** The first message, which is in the part; null: from the end of the line that `isBackwards` names. */
  from: number | null;
  isBackwards: boolean;
  limit: number;
}

/** As many messages of a part as have so many bytes of texts together, though not before there is something new. */
export interface CutPart {
  messages: StoredMessage[];
  /** Of all of them but the first one of a part that goes on, which is known. */
  bytes: number;
  /** Whether the bytes ended it. */
  isCut: boolean;
}

const SIZES = `SELECT id, ${MESSAGE_BYTES} FROM chat_messages`;

/** Conversation, first and last id, limit. */
const STORED = `${SIZES} WHERE chat_id = ? AND id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?`;

const IS_OF_USER =
  'EXISTS (SELECT 1 FROM chats WHERE chats.id = chat_messages.chat_id AND chats.user_id = ? AND chats.deleted_at IS NULL)';

/** Reads single conversations for other modules, message by message, with parts and steps. */
@Injectable()
export class ConversationQuery {
  constructor(
    private readonly database: Database,
    private readonly pieces: ReplyPieces,
  ) {}

  /** Those of the messages that stand in a conversation of the user, without the trash, in the order of their ids. */
  async find(userId: number, ids: readonly number[]): Promise<StoredMessage[]> {
    return ids.length === 0 ? [] : this.whole(ofUser(userId, ids), { order: { id: 'ASC' } });
  }

  /** The same, unless their texts have more than so many bytes together; then null. */
  async findWithin(userId: number, ids: readonly number[], limitBytes: number): Promise<StoredMessage[] | null> {
    if (ids.length === 0) {
      return [];
    }
    const sizes = await sizesOf(this.database.manager, ofUser(userId, ids), { id: 'ASC' }, ids.length);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    return bytes > limitBytes ? null : this.find(userId, ids);
  }

  /** The last of these messages that have so many bytes of texts together, and one at least, in the order of the ids. */
  async newestOf(ids: readonly number[], limitBytes: number): Promise<StoredMessage[]> {
    const count = countWithin((await this.sizes(ids)).reverse(), limitBytes);
    return count === 0 ? [] : this.byIds(ids.slice(-count));
  }

  /**
   * Of the last `count` messages that were stored in a conversation up to one of them, and not before another, those of a part,
   * in the order in which they were stored.
   */
  async cutStored(
    { chatId, firstId = 0, lastId, count }: { chatId: number; firstId?: number; lastId: number; count: number },
    { from, isBackwards, limit }: LinePart,
    limitBytes: number,
  ): Promise<CutPart> {
    const { rows } = await runStatement(this.database.manager, STORED, [chatId, firstId, lastId, count]);
    const stored = rows.map(([id, bytes]) => ({ id: Number(id), bytes: Number(bytes) }));
    const all = isBackwards ? stored : stored.reverse();
    const start = from === null ? 0 : all.findIndex(({ id }) => id === from);
    const part = start < 0 ? [] : all.slice(start, start + limit);
    const fitting = cut(
      part.map(({ bytes }) => bytes),
      from,
      limitBytes,
    );
    const messages = await this.byIds(part.slice(0, fitting.count).map(({ id }) => id));
    return { messages, bytes: fitting.bytes, isCut: fitting.count < part.length };
  }

  /** Messages of the current line; `isBackwards` begins with the last one. */
  async line(chatId: number, part: LinePart): Promise<StoredMessage[]> {
    const { where, order } = await this.partOfLine(chatId, part);
    return this.whole(where, { order, limit: part.limit });
  }

  /** The same, but it ends after so many bytes. */
  async cutLine(chatId: number, part: LinePart, limitBytes: number): Promise<CutPart> {
    const { where, order } = await this.partOfLine(chatId, part);
    const sizes = await sizesOf(this.database.manager, where, order, part.limit);
    const { count, bytes } = cut(sizes, part.from, limitBytes);
    const messages = count === 0 ? [] : await this.line(chatId, { ...part, limit: count });
    return { messages, bytes, isCut: count < sizes.length };
  }

  /** Ids of the newest messages of the current line, the oldest first, without a reply that has more to say: one that is written, or waits. */
  async lineIds(manager: EntityManager, chatId: number, most: number): Promise<number[]> {
    const condition = "chat_id = ? AND is_current = ? AND status NOT IN ('streaming', 'requires_action')";
    const ended = { condition, parameters: [chatId, true] };
    const options = { members: ['id'], order: BACKWARDS, limit: most } as const;
    return (await findRows(manager, MessageEntity, ended, options)).map(({ id }) => id).reverse();
  }

  private async partOfLine(
    chatId: number,
    { from, isBackwards }: LinePart,
  ): Promise<{ where: RowCondition; order: MessageOrder }> {
    const conditions: RowCondition[] = [{ condition: 'chat_id = ? AND is_current = ?', parameters: [chatId, true] }];
    if (from !== null) {
      const first = await findRow(
        this.database.manager,
        MessageEntity,
        { id: from, chatId },
        { members: ['id', 'position'] },
      );
      const position = first?.position ?? -1;
      const [beyond, other] = isBackwards ? ['<', '<='] : ['>', '>='];
      conditions.push(
        { condition: `position ${other} ?`, parameters: [position] },
        { condition: `position ${beyond} ? OR id ${other} ?`, parameters: [position, from] },
      );
    }
    return { where: allOf(...conditions), order: isBackwards ? BACKWARDS : FORWARDS };
  }

  /** Whether a reply in it answered a person, and no program. */
  hasPlainReply(manager: EntityManager, chatId: number): Promise<boolean> {
    return rowExists(manager, MessageEntity, { chatId, role: 'assistant', steps: IsNull(), tokenUsage: Not(IsNull()) });
  }

  /** In the order of the ids; 0 for a message that is not there. */
  private async sizes(ids: readonly number[]): Promise<number[]> {
    if (ids.length === 0) {
      return [];
    }
    const { condition, parameters } = idIn(ids);
    const { rows } = await runStatement(this.database.manager, `${SIZES} WHERE ${condition}`, parameters);
    const sizes = new Map(rows.map(([id, bytes]) => [Number(id), Number(bytes)]));
    return ids.map((id) => sizes.get(id) ?? 0);
  }

  /** Running replies come with all that is stored of them. */
  private async whole(where: Rows<MessageEntity>, options: FindOptions<MessageEntity> = {}): Promise<MessageEntity[]> {
    return this.pieces.complete(MessageEntity, await findRows(this.database.manager, MessageEntity, where, options));
  }

  /** In the order of the ids. */
  private async byIds(ids: readonly number[]): Promise<MessageEntity[]> {
    const messages = await this.whole({ id: In([...ids]) });
    const byId = new Map(messages.map((message) => [message.id, message]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }
}

/** Those of the messages that stand in a conversation of the user, without the trash. */
function ofUser(userId: number, ids: readonly number[]): RowCondition {
  return allOf(idIn(ids), { condition: IS_OF_USER, parameters: [userId] });
}

/** How many of the messages fit, and their bytes. @param from see `LinePart` */
function cut(sizes: readonly number[], from: number | null, limitBytes: number): { count: number; bytes: number } {
  const known = from === null || sizes.length === 0 ? 0 : 1;
  const added = sizes.slice(known);
  const count = countWithin(added, limitBytes);
  return { count: known + count, bytes: added.slice(0, count).reduce((sum, size) => sum + size, 0) };
}
