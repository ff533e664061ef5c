import { Injectable } from '@nestjs/common';
import { type EntityManager, type FindOptionsWhere, In } from 'typeorm';
import { Database } from '../../../database/database';
import { findLocked } from '../../../database/statements/row-lock';
import { ChatEntity } from '../conversations/chat.entity';
import { SearchGramEntity } from './search-gram.entity';
import { SearchProgressEntity } from './search-progress.entity';
import { SearchSegmentEntity } from './search-segment.entity';
import { toColumns, toMessages } from './segment-messages';

/** Rows in one transaction. */
const BATCH = 500;

/** Takes texts that are erased out of the index of the search. */
@Injectable()
export class SearchEraser {
  constructor(private readonly database: Database) {}

  /**
   * Takes conversations out. Call it when their messages are erased already: whoever reads a message to index it either
   * finds it gone, or loses the claim here. The segments are built again later, from what is left.
   */
  async takeOut(chatIds: number[]): Promise<void> {
    const erased = new Set(chatIds);
    const users = await this.database
      .repository(ChatEntity)
      .find({ select: { id: true, userId: true }, where: { id: In(chatIds) }, withDeleted: true });
    for (const id of await this.segmentIds({ userId: In([...new Set(users.map(({ userId }) => userId))]) })) {
      if (await this.shrink(id, erased)) {
        await deleteGrams(this.database, id);
      }
    }
  }

  /** Takes everything of a user out. */
  async eraseUser(userId: number): Promise<void> {
    for (const id of await this.segmentIds({ userId })) {
      await this.database.write((manager) => manager.delete(SearchSegmentEntity, { id }));
      await deleteGrams(this.database, id);
    }
  }

  private segmentIds(where: FindOptionsWhere<SearchSegmentEntity>): Promise<number[]> {
    return this.whileNobodyCollects(async (manager) => {
      const segments = await manager.find(SearchSegmentEntity, { select: { id: true }, where });
      return segments.map(({ id }) => id);
    });
  }

  /**
   * Takes the collector's lock first: a collection under way may have read what is erased by now, so it has to write before,
   * and the next one reads after.
   */
  private whileNobodyCollects<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.database.write(async (manager) => {
      await findLocked(manager, SearchProgressEntity, { id: 1 });
      return work(manager);
    });
  }

  /** @returns whether the segment had messages of the conversations; whoever builds it then stops */
  private shrink(id: number, erased: Set<number>): Promise<boolean> {
    return this.whileNobodyCollects(async (manager) => {
      const segment = await findLocked(manager, SearchSegmentEntity, { id });
      const messages = segment === null ? [] : toMessages(segment);
      const left = messages.filter(({ chatId }) => !erased.has(chatId));
      if (left.length === messages.length) {
        return false;
      }
      if (left.length === 0) {
        await manager.delete(SearchSegmentEntity, { id });
        return true;
      }
      await manager.update(
        SearchSegmentEntity,
        { id },
        { ...toColumns(left), isBuilt: false, claim: null, claimedUntil: null },
      );
      return true;
    });
  }
}

/** Deletes the grams of a segment, in batches. */
export async function deleteGrams(database: Database, segmentId: number): Promise<void> {
  for (let rows = BATCH; rows === BATCH;) {
    const grams = await database.repository(SearchGramEntity).find({
      select: { gram: true },
      where: { segmentId },
      take: BATCH,
    });
    rows = grams.length;
    if (rows > 0) {
      await database.write((manager) =>
        manager.delete(SearchGramEntity, { segmentId, gram: In(grams.map(({ gram }) => gram)) }),
      );
    }
  }
}
