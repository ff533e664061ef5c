import type { EntityManager } from 'typeorm';
import type { Database } from '../../database/database';
import { readNumbers, readRows, toBytes } from '../../database/statements/long-reads';
import { queryRows } from '../../database/statements/query';
import { lockedRows } from '../../database/statements/row-lock';
import { idBatches, idList, rowsById } from '../../database/statements/rows-by-id';
import { executeOnce } from '../../database/statements/run-statement';
import { VectorScanner } from './vector-scanner';
import {
  dotProduct,
  fromSegmentBytes,
  fromVectorBytes,
  joinSegments,
  type SegmentVectors,
  sliceSegment,
  type SmallVector,
  toSegmentBytes,
  toSmallVector,
  toVectorBytes,
  unitVector,
} from './vectors';
import type { ScoredPassage } from './word-ranking';

/** A passage with its vector, which may have any length. */
export interface PassageVector {
  passageId: number;
  vector: Float32Array;
}

/** The vectors of a collection from one embedding model. */
export interface VectorPlace {
  storeId: number;
  generation: number;
}

export interface SearchedVectors {
  storeIds: readonly number[];
  generation: number;
  /** Only their vectors count. */
  ingestionIds: readonly number[];
  queries: readonly Float32Array[];
  /** How many passages to return for each query. */
  most: number;
  signal?: AbortSignal;
}

interface SegmentRow {
  id: number;
  generation: number;
  level: number;
  passages: number;
  members: Uint8Array;
}

/** Vectors of one segment, and the most bytes of their rows: a row of the database should stay well below 16 MB. */
const SEGMENT_VECTORS = 4_096;
const SEGMENT_BYTES = 4 * 2 ** 20;

/** So many segments of one level become one of the next. A level has segments of less than 16, 256, and all others. */
const FACTOR = 16;
const CLOSED = 3;

/** Vectors of one statement. */
const ROWS = 64;

/** Stores vectors, and finds those nearest to others. A search compares all vectors, so it misses none. */
export class VectorIndex {
  readonly scanner: VectorScanner;

  /** @param memoryBytes of segments that are kept in memory */
  constructor(
    private readonly database: Database,
    memoryBytes: number,
  ) {
    this.scanner = new VectorScanner(memoryBytes);
  }

  /** Searches find the vectors from the commit on. */
  async add(
    manager: EntityManager,
    { storeId, generation }: VectorPlace,
    ingestionId: number,
    vectors: readonly PassageVector[],
  ): Promise<void> {
    const units = vectors.map(({ passageId, vector }) => ({ passageId, vector: unitVector(vector) }));
    for (let start = 0; start < units.length; start += ROWS) {
      const batch = units.slice(start, start + ROWS);
      await executeOnce(
        manager,
        `INSERT INTO knowledge_vectors (passage_id, generation, vector)
         VALUES ${batch.map(({ passageId }) => `(${Number(passageId)}, ${Number(generation)}, ?)`).join(', ')}`,
        batch.map(({ vector }) => toVectorBytes(vector)),
      );
    }
    const small = units.map(({ vector }) => toSmallVector(vector));
    const segment: SegmentVectors = {
      passageIds: Int32Array.from(units, ({ passageId }) => passageId),
      ingestionIds: new Int32Array(units.length).fill(ingestionId),
      scales: Float32Array.from(small, ({ scale }) => scale),
      rows: joinRows(small),
    };
    await this.insert(manager, { storeId, generation }, segment);
  }

  /**
   * Merges small segments of a collection, so that a search reads few of them. The lock on their rows orders instances
   * that merge at the same time.
   *
   * @returns whether there was something to merge
   */
  async merge({ storeId, generation }: VectorPlace): Promise<boolean> {
    return this.database.write(async (manager) => {
      const segments = await this.lock(
        manager,
        `store_id = ${Number(storeId)} AND generation = ${Number(generation)} AND level < ${CLOSED}`,
      );
      for (let level = 0; level < CLOSED; level++) {
        const ofLevel = segments.filter((segment) => segment.level === level);
        if (ofLevel.length >= FACTOR) {
          await this.replace(manager, { storeId, generation }, takeOne(ofLevel));
          return true;
        }
      }
      return false;
    });
  }

  /**
   * Removes vectors of passages of ingestions that no search names any more. A segment of which half is removed is
   * written again.
   */
  async remove(
    manager: EntityManager,
    passageIds: readonly number[],
    ingestions: readonly { storeId: number; ingestionId: number }[],
  ): Promise<void> {
    await executeOnce(manager, `DELETE FROM knowledge_vectors WHERE passage_id IN ${idList(passageIds)}`);
    for (const { storeId, ingestionId } of ingestions) {
      for (const segment of await this.lock(manager, `store_id = ${Number(storeId)}`)) {
        const members = toMembers(segment.members);
        if (members.delete(ingestionId)) {
          await this.keepMembers(manager, { storeId, generation: segment.generation }, segment, members);
        }
      }
    }
  }

  /** Removes all vectors of a model, in bounded transactions. */
  async removeGeneration(generation: number): Promise<void> {
    const of = `WHERE generation = ${Number(generation)} LIMIT 1000`;
    for (const [table, key] of [
      ['knowledge_segments', 'id'],
      ['knowledge_vectors', 'passage_id'],
    ] as const) {
      for (let ids = await this.keys(table, key, of); ids.length > 0; ids = await this.keys(table, key, of)) {
        await this.database.write((manager) =>
          executeOnce(
            manager,
            `${rowsById(manager, table, key, ids).remove} AND ${table}.generation = ${Number(generation)}`,
          ),
        );
      }
    }
  }

  /** The passages nearest to each query with their cosines (negative ones are 0), best first. */
  async search(searched: SearchedVectors): Promise<ScoredPassage[][]> {
    const queries = searched.queries.map(unitVector);
    const found = await this.scan({ ...searched, queries });
    const ids = [...new Set(found.flat())];
    const vectors = new Map<number, Float32Array>();
    for (const batch of idBatches(ids)) {
      searched.signal?.throwIfAborted();
      const { from } = rowsById(this.database.manager, 'knowledge_vectors', 'passage_id', batch);
      const rows = await readRows(
        this.database,
        `SELECT passage_id, vector FROM ${from} AND generation = ${Number(searched.generation)}`,
      );
      rows.forEach(([id, vector]) => vectors.set(Number(id), fromVectorBytes(toBytes(vector))));
    }
    return queries.map((query, index) =>
      found[index]!.flatMap((passageId) => {
        const vector = vectors.get(passageId);
        return vector === undefined ? [] : [{ passageId, score: Math.max(0, dotProduct(query, vector)) }];
      }).sort((one, other) => other.score - one.score || one.passageId - other.passageId),
    );
  }

  private async scan(searched: SearchedVectors): Promise<number[][]> {
    const { storeIds, generation, ingestionIds, queries, most, signal } = searched;
    const rows = `WHERE store_id IN ${idList(storeIds)} AND generation = ${Number(generation)}`;
    const results = await this.scanner.scan(
      { queries: queries.map(toSmallVector), ingestionIds: Int32Array.from(ingestionIds), most },
      () => {
        signal?.throwIfAborted();
        return this.keys('knowledge_segments', 'id', rows);
      },
      async (segmentId) => {
        signal?.throwIfAborted();
        const [row] = await readRows(
          this.database,
          `SELECT passages, data FROM knowledge_segments WHERE id = ${Number(segmentId)}`,
        );
        return row === undefined ? null : { segmentId, count: Number(row[0]), data: toBytes(row[1]) };
      },
    );
    return results.map(({ passageIds }) => [...passageIds]);
  }

  private keys(table: string, column: string, rows: string): Promise<number[]> {
    return readNumbers(this.database, column, `${table} ${rows}`, []);
  }

  private lock(manager: EntityManager, condition: string): Promise<SegmentRow[]> {
    const select = `SELECT id, generation, level, passages, members FROM knowledge_segments WHERE ${condition} ORDER BY id`;
    return queryRows<SegmentRow>(manager, lockedRows(manager, select));
  }

  private async keepMembers(
    manager: EntityManager,
    place: VectorPlace,
    segment: SegmentRow,
    members: Map<number, number>,
  ): Promise<void> {
    const left = [...members.values()].reduce((sum, count) => sum + count, 0);
    const bytes = toMemberBytes(members);
    await executeOnce(manager, 'UPDATE knowledge_segments SET members = ? WHERE id = ?', [bytes, segment.id]);
    if (left * 2 <= segment.passages) {
      await this.replace(manager, place, [{ ...segment, members: bytes }]);
    }
  }

  /** Writes the vectors of segments again, without the removed ones. */
  private async replace(manager: EntityManager, place: VectorPlace, segments: readonly SegmentRow[]): Promise<void> {
    const ids = idList(segments.map(({ id }) => id));
    const rows = await queryRows<{ id: number; data: Uint8Array }>(
      manager,
      `SELECT id, data FROM knowledge_segments WHERE id IN ${ids} ORDER BY id`,
    );
    const counts = new Map(segments.map(({ id, passages }) => [id, passages]));
    const members = new Set(segments.flatMap((segment) => [...toMembers(segment.members).keys()]));
    const all = joinSegments(
      rows.map(({ id, data }) => fromSegmentBytes(toBytes(data), counts.get(id) ?? 0)),
      (ingestionId) => members.has(ingestionId),
    );
    await executeOnce(manager, `DELETE FROM knowledge_segments WHERE id IN ${ids}`);
    await this.insert(manager, place, all);
  }

  private async insert(manager: EntityManager, place: VectorPlace, segment: SegmentVectors): Promise<void> {
    const count = segment.passageIds.length;
    const most = mostVectors(segment);
    for (let start = 0; start < count; start += most) {
      const part = sliceSegment(segment, start, Math.min(count, start + most));
      const { length } = part.passageIds;
      const members = new Map<number, number>();
      part.ingestionIds.forEach((id) => members.set(id, (members.get(id) ?? 0) + 1));
      await executeOnce(
        manager,
        `INSERT INTO knowledge_segments (store_id, generation, level, passages, members, data)
         VALUES (?, ?, ?, ?, ?, ?)`,
        [place.storeId, place.generation, levelOf(length, most), length, toMemberBytes(members), toSegmentBytes(part)],
      );
    }
  }
}

function joinRows(vectors: readonly SmallVector[]): Int8Array {
  const size = vectors[0]?.row.length ?? 0;
  const rows = new Int8Array(vectors.length * size);
  vectors.forEach(({ row }, at) => rows.set(row, at * size));
  return rows;
}

function mostVectors({ passageIds, rows }: SegmentVectors): number {
  const size = passageIds.length === 0 ? 1 : rows.length / passageIds.length;
  return Math.max(1, Math.min(SEGMENT_VECTORS, Math.floor(SEGMENT_BYTES / size)));
}

function levelOf(count: number, most: number): number {
  return count >= most ? CLOSED : Math.min(CLOSED - 1, Math.floor(Math.log(count) / Math.log(FACTOR)));
}

/** The first segments, as many as fill one. */
function takeOne(segments: readonly SegmentRow[]): SegmentRow[] {
  let count = 0;
  return segments.filter(({ passages }) => {
    const isTaken = count < SEGMENT_VECTORS;
    count += passages;
    return isTaken;
  });
}

function toMembers(bytes: Uint8Array): Map<number, number> {
  const numbers = new Int32Array(new Uint8Array(bytes).buffer);
  return new Map(Array.from({ length: numbers.length / 2 }, (_pair, at) => [numbers[2 * at]!, numbers[2 * at + 1]!]));
}

function toMemberBytes(members: ReadonlyMap<number, number>): Buffer {
  return Buffer.from(Int32Array.from([...members].flat()).buffer);
}
