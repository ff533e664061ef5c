import { Injectable } from '@nestjs/common';
import { Between, type EntityManager, In, IsNull, LessThanOrEqual, Not, type SelectQueryBuilder } from 'typeorm';
import { Database } from '../../../database/database';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { ChatEntity } from '../conversations/chat.entity';
import { MessageEntity } from '../conversations/message.entity';
import { inOrder } from '../conversations/message-order';
import { loadParts } from '../conversations/stored-parts';
import type { Turn } from '../reply/running-reply';

/** A message with all that is stored of it, as other modules see it. */
export type StoredMessage = Readonly<MessageEntity>;

/** A part of the current line. */
export interface LinePart {
  /** The first message, which is in the part; null: from the end of the line that `isBackwards` names. */
  from: number | null;
  isBackwards: boolean;
  limit: number;
}

/** Messages of a line, and whether `limitBytes` ended them. */
export interface CutLine {
  messages: StoredMessage[];
  isCut: boolean;
}

/** The size of a message in the database. */
const BYTES = ['content', 'reasoning', 'parts', 'steps']
  .map((column) => `COALESCE(OCTET_LENGTH(message.${column}), 0)`)
  .join(' + ');

/** How many messages one statement reads by their ids. */
const BATCH = 200;

/** Reads single conversations for other modules, message by message, with parts and steps. */
@Injectable()
export class ConversationQuery {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
  ) {}

  /** Those of the messages that stand in a conversation of the user, without the trash, in the order of their ids. */
  async find(userId: number, ids: readonly number[]): Promise<StoredMessage[]> {
    if (ids.length === 0) {
      return [];
    }
    return this.messages()
      .innerJoin(ChatEntity, 'chat', 'chat.id = message.chat_id')
      .where('message.id IN (:...ids)', { ids })
      .andWhere('chat.user_id = :userId AND chat.deleted_at IS NULL', { userId })
      .orderBy('message.id')
      .getMany();
  }

  /** The messages of a conversation from one of them to another, in the order in which they were stored. */
  between(chatId: number, first: number, last: number): Promise<StoredMessage[]> {
    return this.database.repository(MessageEntity).find({
      where: { chatId, id: Between(first, last) },
      order: { id: 'ASC' },
    });
  }

  /** The last `count` messages that were stored in a conversation up to one of them, in the order in which they were stored. */
  async upTo(chatId: number, id: number, count: number): Promise<StoredMessage[]> {
    const messages = await this.database.repository(MessageEntity).find({
      where: { chatId, id: LessThanOrEqual(id) },
      order: { id: 'DESC' },
      take: count,
    });
    return messages.reverse();
  }

  /** Messages of the current line; `isBackwards` begins with the last one. */
  async line(chatId: number, part: LinePart): Promise<StoredMessage[]> {
    return (await this.lineQuery(chatId, part)).getMany();
  }

  /** The same, but it ends after so many bytes of texts, though not before it has something new. */
  async cutLine(chatId: number, part: LinePart, limitBytes: number): Promise<CutLine> {
    const sizes = await (
      await this.lineQuery(chatId, part)
    )
      .select('message.id', 'id')
      .addSelect(BYTES, 'bytes')
      .getRawMany<{ id: number; bytes: number | string }>();
    // The first message of a part that goes on is known.
    let count = part.from === null ? 1 : 2;
    let bytes = sizes.slice(0, count).reduce((sum, size) => sum + Number(size.bytes), 0);
    while (count < sizes.length && bytes + Number(sizes[count]?.bytes) <= limitBytes) {
      bytes += Number(sizes[count++]?.bytes);
    }
    const messages = await this.line(chatId, { ...part, limit: Math.min(count, part.limit) });
    return { messages, isCut: count < sizes.length };
  }

  private async lineQuery(
    chatId: number,
    { from, isBackwards, limit }: LinePart,
  ): Promise<SelectQueryBuilder<MessageEntity>> {
    const line = this.messages()
      .where('message.chat_id = :chatId', { chatId })
      .andWhere('message.is_current = :isCurrent', { isCurrent: true });
    if (from !== null) {
      const first = await this.database.repository(MessageEntity).findOneBy({ id: from, chatId });
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

  /** The turns from the beginning of a conversation to a message, whatever line they are on. */
  async turnsTo(chatId: number, id: number): Promise<Turn[]> {
    const turns: Turn[] = [];
    const path = await this.pathTo(chatId, id);
    for (let start = 0; start < path.length; start += BATCH) {
      const ids = path.slice(start, start + BATCH);
      const messages = await this.database.repository(MessageEntity).findBy({ id: In(ids) });
      const byId = new Map(messages.map((message) => [message.id, message]));
      for (const message of ids.flatMap((one) => byId.get(one) ?? [])) {
        turns.push(await this.toTurn(message));
      }
    }
    return turns;
  }

  /** A message as a model is told it, with the bytes of its files. */
  async toTurn({ role, content, parts }: Pick<StoredMessage, 'role' | 'content' | 'parts'>): Promise<Turn> {
    return { role, content, parts: parts && (await loadParts(this.blobs, parts)) };
  }

  private async pathTo(chatId: number, id: number): Promise<number[]> {
    const rows = await this.database
      .repository(MessageEntity)
      .find({ select: { id: true, parentId: true }, where: { chatId, id: LessThanOrEqual(id) } });
    const parents = new Map(rows.map((row) => [row.id, row.parentId]));
    const path: number[] = [];
    for (let next: number | null = id; next !== null && parents.has(next); next = parents.get(next) ?? null) {
      path.push(next);
    }
    return path.reverse();
  }

  private messages(): SelectQueryBuilder<MessageEntity> {
    return this.database.repository(MessageEntity).createQueryBuilder('message');
  }
}
