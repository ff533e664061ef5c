import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull, Not } from 'typeorm';
import { Database } from '../../../database/database';
import { type FindOptions, findRow, findRows, rowExists } from '../../../database/statements/find';
import { allOf, idIn, type RowCondition, type Rows } from '../../../database/statements/row-condition';
import { runStatement } from '../../../database/statements/run-statement';
import { ReplyKnowledge, ReplyPieces } from '../../generation/generation.api';
import { ChatEntity } from '../conversations/chat.entity';
import { MessageEntity } from '../conversations/message.entity';
import { BACKWARDS, FORWARDS, type MessageOrder } from '../conversations/message-order';
import { countWithin, MESSAGE_BYTES, sizesOf } from './page-bytes';

/** A message with all its columns, for other modules. */
export type StoredMessage = Readonly<MessageEntity>;

/** A part of the current line. */
export interface LinePart {
  /** The first message of the part, included; null: start at the end that `isBackwards` selects. */
  from: number | null;
  isBackwards: boolean;
  limit: number;
}

/** Messages of a part up to a byte limit for their texts, but at least one new message. */
export interface CutPart {
  messages: StoredMessage[];
  /** Bytes of all texts except the known first message of a continued part. */
  bytes: number;
  /** Whether the byte limit cut the part. */
  isCut: boolean;
}

const SIZES = `SELECT id, ${MESSAGE_BYTES} FROM chat_messages`;

/** Conversation, first and last ID, limit. */
const STORED = `${SIZES} WHERE chat_id = ? AND id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?`;

const IS_OF_USER =
  'EXISTS (SELECT 1 FROM chats WHERE chats.id = chat_messages.chat_id AND chats.user_id = ? AND chats.deleted_at IS NULL)';

/** Reads single conversations for other modules, message by message, with parts and steps. */
@Injectable()
export class ConversationQuery {
  constructor(
    private readonly database: Database,
    private readonly pieces: ReplyPieces,
    private readonly knowledge: ReplyKnowledge,
  ) {}

  /** The given messages that belong to the user's conversations outside of the trash, by ID. */
  async find(userId: number, ids: readonly number[]): Promise<StoredMessage[]> {
    return ids.length === 0 ? [] : this.findWithPieces(ofUser(userId, ids), { order: { id: 'ASC' } });
  }

  /** Like `find`, but null if the texts together exceed `limitBytes`. */
  async findWithin(userId: number, ids: readonly number[], limitBytes: number): Promise<StoredMessage[] | null> {
    if (ids.length === 0) {
      return [];
    }
    const sizes = await sizesOf(this.database.manager, ofUser(userId, ids), { id: 'ASC' }, ids.length);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    return bytes > limitBytes ? null : this.find(userId, ids);
  }

  /** The last of these messages whose texts together fit into `limitBytes`, at least one, by ID. */
  async newestOf(ids: readonly number[], limitBytes: number): Promise<StoredMessage[]> {
    const count = countWithin((await this.sizes(ids)).reverse(), limitBytes);
    return count === 0 ? [] : this.byIds(ids.slice(-count));
  }

  /**
   * A part of the last `count` messages stored in a conversation, between two IDs, in the order in which they were
   * stored.
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

  /** Messages of the current line; `isBackwards` starts with the last one. */
  async line(chatId: number, part: LinePart): Promise<StoredMessage[]> {
    const { where, order } = await this.partOfLine(chatId, part);
    return this.findWithPieces(where, { order, limit: part.limit });
  }

  /** Like `line`, but cut at `limitBytes`. */
  async cutLine(chatId: number, part: LinePart, limitBytes: number): Promise<CutPart> {
    const { where, order } = await this.partOfLine(chatId, part);
    const sizes = await sizesOf(this.database.manager, where, order, part.limit);
    const { count, bytes } = cut(sizes, part.from, limitBytes);
    const messages = count === 0 ? [] : await this.line(chatId, { ...part, limit: count });
    return { messages, bytes, isCut: count < sizes.length };
  }

  /** IDs of the newest messages of the current line, oldest first, excluding running and waiting replies. */
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

  /** Whether the line has a reply to a person instead of a program. */
  hasPlainReply(manager: EntityManager, chatId: number): Promise<boolean> {
    return rowExists(manager, MessageEntity, { chatId, role: 'assistant', steps: IsNull(), tokenUsage: Not(IsNull()) });
  }

  /** By ID; 0 for a message that does not exist. */
  private async sizes(ids: readonly number[]): Promise<number[]> {
    if (ids.length === 0) {
      return [];
    }
    const { condition, parameters } = idIn(ids);
    const { rows } = await runStatement(this.database.manager, `${SIZES} WHERE ${condition}`, parameters);
    const sizes = new Map(rows.map(([id, bytes]) => [Number(id), Number(bytes)]));
    return ids.map((id) => sizes.get(id) ?? 0);
  }

  /** Includes everything stored so far of running replies. */
  private async findWithPieces(
    where: Rows<MessageEntity>,
    options: FindOptions<MessageEntity> = {},
  ): Promise<MessageEntity[]> {
    const rows = await findRows(this.database.manager, MessageEntity, where, options);
    const messages = await this.pieces.complete(MessageEntity, rows);
    await this.knowledge.fillRows(() => this.ownerOf(messages), messages);
    return messages;
  }

  /** The user whose conversations have these messages. */
  private async ownerOf([first]: readonly MessageEntity[]): Promise<number> {
    const options = { members: ['id', 'userId'], withDeleted: true } as const;
    const chat = await findRow(this.database.manager, ChatEntity, { id: first?.chatId ?? 0 }, options);
    return chat?.userId ?? 0;
  }

  /** In the order of `ids`. */
  private async byIds(ids: readonly number[]): Promise<MessageEntity[]> {
    const messages = await this.findWithPieces({ id: In([...ids]) });
    const byId = new Map(messages.map((message) => [message.id, message]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }
}

/** Matches the given messages if they are in the user's conversations outside of the trash. */
function ofUser(userId: number, ids: readonly number[]): RowCondition {
  return allOf(idIn(ids), { condition: IS_OF_USER, parameters: [userId] });
}

/**
 * The number of messages that fit, and their bytes.
 *
 * @param from see `LinePart`
 */
function cut(sizes: readonly number[], from: number | null, limitBytes: number): { count: number; bytes: number } {
  const known = from === null || sizes.length === 0 ? 0 : 1;
  const added = sizes.slice(known);
  const count = countWithin(added, limitBytes);
  return { count: known + count, bytes: added.slice(0, count).reduce((sum, size) => sum + size, 0) };
}
