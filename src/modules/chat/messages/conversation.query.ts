import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull, Not, type SelectQueryBuilder } from 'typeorm';
import { Database } from '../../../database/database';
import { ChatEntity } from '../conversations/chat.entity';
import { MessageEntity } from '../conversations/message.entity';
import { inOrder } from '../conversations/message-order';
import { countWithin, messageBytes, sizesOf } from './page-bytes';

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

/** Reads single conversations for other modules, message by message, with parts and steps. */
@Injectable()
export class ConversationQuery {
  constructor(private readonly database: Database) {}

  /** Those of the messages that stand in a conversation of the user, without the trash, in the order of their ids. */
  async find(userId: number, ids: readonly number[]): Promise<StoredMessage[]> {
    return ids.length === 0 ? [] : this.ofUser(userId, ids).getMany();
  }

  /** The same, unless their texts have more than so many bytes together; then null. */
  async findWithin(userId: number, ids: readonly number[], limitBytes: number): Promise<StoredMessage[] | null> {
    const sizes = ids.length === 0 ? [] : await sizesOf(this.ofUser(userId, ids), ids.length);
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
    const rows = await this.messages()
      .select('message.id', 'id')
      .addSelect(messageBytes('message'), 'bytes')
      .where('message.chat_id = :chatId AND message.id BETWEEN :firstId AND :lastId', { chatId, firstId, lastId })
      .orderBy('message.id', 'DESC')
      .limit(count)
      .getRawMany<{ id: number; bytes: number | string }>();
    const all = isBackwards ? rows : rows.reverse();
    const start = from === null ? 0 : all.findIndex(({ id }) => Number(id) === from);
    const part = start < 0 ? [] : all.slice(start, start + limit);
    const fitting = cut(
      part.map(({ bytes }) => Number(bytes)),
      from,
      limitBytes,
    );
    const messages = await this.byIds(part.slice(0, fitting.count).map(({ id }) => Number(id)));
    return { messages, bytes: fitting.bytes, isCut: fitting.count < part.length };
  }

  /** Messages of the current line; `isBackwards` begins with the last one. */
  async line(chatId: number, part: LinePart): Promise<StoredMessage[]> {
    return (await this.lineQuery(chatId, part)).getMany();
  }

  /** The same, but it ends after so many bytes. */
  async cutLine(chatId: number, part: LinePart, limitBytes: number): Promise<CutPart> {
    const sizes = await sizesOf(await this.lineQuery(chatId, part), part.limit);
    const { count, bytes } = cut(sizes, part.from, limitBytes);
    const messages = count === 0 ? [] : await this.line(chatId, { ...part, limit: count });
    return { messages, bytes, isCut: count < sizes.length };
  }

  private async lineQuery(
    chatId: number,
    { from, isBackwards, limit }: LinePart,
  ): Promise<SelectQueryBuilder<MessageEntity>> {
    const line = this.messages()
      .where('message.chat_id = :chatId', { chatId })
      .andWhere('message.is_current = :isCurrent', { isCurrent: true });
    if (from !== null) {
      const first = await this.database
        .repository(MessageEntity)
        .findOne({ select: { id: true, position: true }, where: { id: from, chatId } });
      const [beyond, other] = isBackwards ? ['<', '<='] : ['>', '>='];
      line
        .andWhere(`message.position ${other} :position`, { position: first?.position ?? -1 })
        .andWhere(`(message.position ${beyond} :position OR message.id ${other} :from)`, { from });
    }
    return inOrder(line, isBackwards ? 'DESC' : 'ASC').limit(limit);
  }

  /** Whether a reply in it answered a person, and no program. */
  hasPlainReply(manager: EntityManager, chatId: number): Promise<boolean> {
    return manager.existsBy(MessageEntity, { chatId, role: 'assistant', steps: IsNull(), tokenUsage: Not(IsNull()) });
  }

  private ofUser(userId: number, ids: readonly number[]): SelectQueryBuilder<MessageEntity> {
    return this.messages()
      .innerJoin(ChatEntity, 'chat', 'chat.id = message.chat_id')
      .where('message.id IN (:...ids)', { ids })
      .andWhere('chat.user_id = :userId AND chat.deleted_at IS NULL', { userId })
      .orderBy('message.id');
  }

  /** In the order of the ids; 0 for a message that is not there. */
  private async sizes(ids: readonly number[]): Promise<number[]> {
    if (ids.length === 0) {
      return [];
    }
    const rows = await this.messages()
      .select('message.id', 'id')
      .addSelect(messageBytes('message'), 'bytes')
      .where('message.id IN (:...ids)', { ids })
      .getRawMany<{ id: number; bytes: number | string }>();
    const sizes = new Map(rows.map(({ id, bytes }) => [Number(id), Number(bytes)]));
    return ids.map((id) => sizes.get(id) ?? 0);
  }

  /** In the order of the ids. */
  private async byIds(ids: readonly number[]): Promise<MessageEntity[]> {
    const messages = await this.database.repository(MessageEntity).findBy({ id: In([...ids]) });
    const byId = new Map(messages.map((message) => [message.id, message]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  private messages(): SelectQueryBuilder<MessageEntity> {
    return this.database.repository(MessageEntity).createQueryBuilder('message');
  }
}

/** How many of the messages fit, and their bytes. @param from see `LinePart` */
function cut(sizes: readonly number[], from: number | null, limitBytes: number): { count: number; bytes: number } {
  const known = from === null || sizes.length === 0 ? 0 : 1;
  const added = sizes.slice(known);
  const count = countWithin(added, limitBytes);
  return { count: known + count, bytes: added.slice(0, count).reduce((sum, size) => sum + size, 0) };
}
