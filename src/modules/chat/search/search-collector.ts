import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { gauge } from '../../../common/metrics/metrics';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { lockForClaim } from '../../../database/statements/row-lock';
import { ChatEntity } from '../conversations/chat.entity';
import { HIDDEN_AT } from '../conversations/hidden-chat';
import { MessageEntity } from '../conversations/message.entity';
import { SEGMENT_MESSAGES } from './postings';
import { SearchProgressEntity } from './search-progress.entity';
import { SearchSegmentEntity } from './search-segment.entity';
import { type SegmentMessage, toColumns, toMessages } from './segment-messages';

/** Messages in one transaction. */
const BATCH = 400;

/** A segment is full with this much text too, so that a search reads no more of one that is open. */
const FULL_LENGTH = 4_000_000;

/**
 * Younger messages wait: a transaction that took a lower id may still be open on MySQL. The search reads them meanwhile, so
 * nothing depends on this time but how much that is.
 */
const SETTLED_MILLISECONDS = 2 * MINUTE_MILLISECONDS;

interface NewMessage extends SegmentMessage {
  userId: number | null;
  length: number;
  /** Whether it may still change, or others may come before it. */
  isOpen: boolean;
}

/** Puts messages into the segments of their users, in the order of their ids. */
@Injectable()
export class SearchCollector {
  /** Not configuration: tests set it. */
  segmentMessages = SEGMENT_MESSAGES;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    gauge('search_index_lag_messages', 'Messages that are in no segment of the search yet', () => this.lag());
  }

  /** One batch, unless another instance is at it. @returns whether there are more */
  collect(): Promise<boolean> {
    return this.database.write(async (manager) => {
      const progress = await lockForClaim(
        manager,
        manager.createQueryBuilder(SearchProgressEntity, 'progress'),
      ).getOne();
      if (progress === null) {
        return false;
      }
      const batch = await this.after(manager, progress.messageId);
      const end = batch.findIndex(({ isOpen }) => isOpen);
      const settled = end === -1 ? batch : batch.slice(0, end);
      const last = settled.at(-1);
      if (last === undefined) {
        return false;
      }
      await this.store(manager, settled);
      await manager.update(SearchProgressEntity, { id: progress.id }, { messageId: last.id });
      return settled.length === BATCH;
    });
  }

  /** How many messages of all users the next search reads beside the segments, at most. */
  async lag(): Promise<number> {
    const newest = await this.database.repository(MessageEntity).maximum('id');
    const progress = await this.database.repository(SearchProgressEntity).findOneByOrFail({ id: 1 });
    return Math.max(0, (newest ?? 0) - progress.messageId);
  }

  private async after(manager: EntityManager, id: number): Promise<NewMessage[]> {
    const before = new Date(this.clock.now().getTime() - SETTLED_MILLISECONDS);
    const rows = await manager
      .createQueryBuilder(MessageEntity, 'message')
      .withDeleted()
      // Hidden conversations are never searched, and have gone before long.
      .leftJoin(ChatEntity, 'chat', 'chat.id = message.chat_id AND COALESCE(chat.deleted_at, :at) <> :hiddenAt', {
        at: before,
        hiddenAt: HIDDEN_AT,
      })
      .select('message.id', 'id')
      .addSelect('message.chat_id', 'chatId')
      .addSelect('chat.user_id', 'userId')
      .addSelect('LENGTH(message.content)', 'length')
      .addSelect("message.status = 'streaming' OR message.created_at > :before", 'isOpen')
      .where('message.id > :id', { id, before })
      .orderBy('message.id')
      .limit(BATCH)
      .getRawMany<Record<keyof NewMessage, number | null>>();
    return rows.map((row) => ({
      id: Number(row.id),
      chatId: Number(row.chatId),
      userId: row.userId,
      length: Number(row.length),
      isOpen: Number(row.isOpen) === 1,
    }));
  }

  private async store(manager: EntityManager, batch: NewMessage[]): Promise<void> {
    const byUser = new Map<number, NewMessage[]>();
    for (const message of batch) {
      // A conversation that is gone leaves no user.
      if (message.userId !== null) {
        byUser.set(message.userId, [...(byUser.get(message.userId) ?? []), message]);
      }
    }
    const open = await manager.findBy(SearchSegmentEntity, { userId: In([...byUser.keys()]), isFull: false });
    for (const [userId, messages] of byUser) {
      let segment = open.find((candidate) => candidate.userId === userId) ?? emptySegment(manager, userId);
      for (let rest = messages; rest.length > 0;) {
        rest = this.fill(segment, rest);
        await manager.save(segment);
        segment = emptySegment(manager, userId);
      }
    }
  }

  /** Adds as many messages as there is room for. @returns the others */
  private fill(segment: SearchSegmentEntity, messages: NewMessage[]): NewMessage[] {
    const within: SegmentMessage[] = toMessages(segment);
    let taken = 0;
    for (const message of messages) {
      if (within.length === this.segmentMessages || segment.textLength >= FULL_LENGTH) {
        break;
      }
      within.push(message);
      segment.textLength += message.length;
      taken++;
    }
    segment.isFull = within.length === this.segmentMessages || segment.textLength >= FULL_LENGTH;
    Object.assign(segment, toColumns(within));
    return messages.slice(taken);
  }
}

function emptySegment(manager: EntityManager, userId: number): SearchSegmentEntity {
  return manager.create(SearchSegmentEntity, {
    userId,
    ...toColumns([]),
    textLength: 0,
    isFull: false,
    isBuilt: false,
    claim: null,
    claimedUntil: null,
  });
}
