import { type EntityManager, type FindOptionsWhere, In } from 'typeorm';
import type { Database } from '../../database/database';
import { findLocked } from '../../database/statements/row-lock';
import { toColumns, toDocuments } from './segment-documents';
import type { TextIndexTables } from './text-index-tables';
import type { TextSegmentEntity } from './text-segment.entity';

/** Rows in one transaction. */
const BATCH = 500;

/** Takes texts that are erased out of the index. */
export class DocumentEraser {
  constructor(
    private readonly database: Database,
    private readonly tables: TextIndexTables,
  ) {}

  /** Takes groups of these owners out. The segments are built again later, from what is left. */
  async removeGroups(ownerIds: readonly number[], groupIds: readonly number[]): Promise<void> {
    const erased = new Set(groupIds);
    for (const id of await this.segmentIds({ ownerId: In(ownerIds) })) {
      if (await this.shrink(id, erased)) {
        await deleteGrams(this.database, this.tables, id);
      }
    }
  }

  /** Takes everything of an owner out. */
  async removeOwner(ownerId: number): Promise<void> {
    for (const id of await this.segmentIds({ ownerId })) {
      await this.database.write((manager) => manager.delete(this.tables.segments, { id }));
      await deleteGrams(this.database, this.tables, id);
    }
  }

  private segmentIds(where: FindOptionsWhere<TextSegmentEntity>): Promise<number[]> {
    return this.whileNobodyCollects(async (manager) => {
      const segments = await manager.find(this.tables.segments, { select: { id: true }, where });
      return segments.map(({ id }) => id);
    });
  }

  /**
   * Takes the collector's lock first: a collection under way may have read what is erased by now, so it has to write before,
   * and the next one reads after.
   */
  private whileNobodyCollects<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.database.write(async (manager) => {
      await findLocked(manager, this.tables.progress, { id: 1 });
      return work(manager);
    });
  }

  /** @returns whether the segment had documents of the groups; whoever builds it then stops */
  private shrink(id: number, erased: ReadonlySet<number>): Promise<boolean> {
    return this.whileNobodyCollects(async (manager) => {
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
