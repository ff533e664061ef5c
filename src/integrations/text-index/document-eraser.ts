import { type EntityManager, type FindOptionsWhere, In } from 'typeorm';
import type { Database } from '../../database/database';
import { findLocked } from '../../database/statements/row-lock';
import { toColumns, toDocuments } from './segment-documents';
import type { TextIndexTables } from './text-index-tables';
import type { TextSegmentEntity } from './text-segment.entity';

/** Most rows in one transaction. */
const BATCH = 500;

/** Removes erased texts from the index. */
export class DocumentEraser {
  constructor(
    private readonly database: Database,
    private readonly tables: TextIndexTables,
  ) {}

  /** Removes groups of these owners. The segments are built again later, from their remaining documents. */
  async removeGroups(ownerIds: readonly number[], groupIds: readonly number[]): Promise<void> {
    const erased = new Set(groupIds);
    for (const id of await this.segmentIds({ ownerId: In(ownerIds) })) {
      if (await this.shrink(id, erased)) {
        await deleteGrams(this.database, this.tables, id);
      }
    }
  }

  /** Removes all documents of an owner. */
  async removeOwner(ownerId: number): Promise<void> {
    for (const id of await this.segmentIds({ ownerId })) {
      await this.database.write((manager) => manager.delete(this.tables.segments, { id }));
      await deleteGrams(this.database, this.tables, id);
    }
  }

  private segmentIds(where: FindOptionsWhere<TextSegmentEntity>): Promise<number[]> {
    return this.withoutCollector(async (manager) => {
      const segments = await manager.find(this.tables.segments, { select: { id: true }, where });
      return segments.map(({ id }) => id);
    });
  }

  /**
   * Takes the collector's lock first. A running collection may have read documents that are erased by now, so it has to
   * finish first, and the next one reads after the erasure.
   */
  private withoutCollector<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.database.write(async (manager) => {
      await findLocked(manager, this.tables.progress, { id: 1 });
      return work(manager);
    });
  }

  /** @returns whether the segment had documents of the groups; its builder then stops */
  private shrink(id: number, erased: ReadonlySet<number>): Promise<boolean> {
    return this.withoutCollector(async (manager) => {
      const segment = await findLocked(manager, this.tables.segments, { id });
      const documents = segment === null ? [] : toDocuments(segment);
      const left = documents.filter(({ groupId }) => !erased.has(groupId));
      if (left.length === documents.length) {
        return false;
      }
      if (left.length === 0) {
        await manager.delete(this.tables.segments, { id });
        return true;
      }
      await manager.update(
        this.tables.segments,
        { id },
        { ...toColumns(left), isBuilt: false, claim: null, claimedUntil: null },
      );
      return true;
    });
  }
}

/** Deletes the grams of a segment, in batches. */
export async function deleteGrams(database: Database, tables: TextIndexTables, segmentId: number): Promise<void> {
  for (let rows = BATCH; rows === BATCH;) {
    const grams = await database.repository(tables.grams).find({
      select: { gram: true },
      where: { segmentId },
      take: BATCH,
    });
    rows = grams.length;
    if (rows > 0) {
      await database.write((manager) =>
        manager.delete(tables.grams, { segmentId, gram: In(grams.map(({ gram }) => gram)) }),
      );
    }
  }
}
