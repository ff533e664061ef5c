import type { Database } from '../../database/database';
import { readRows, toBytes } from '../../database/statements/long-reads';
import { idList } from '../../database/statements/rows-by-id';
import { Candidates, type IndexAnswer } from './candidates';
import { gramsOf } from './grams';
import { countNewer, type IndexedDocuments } from './indexed-documents';
import { intersection, SEGMENT_DOCUMENTS } from './postings';
import type { TextIndexTables } from './text-index-tables';
import { BUILT } from './text-segment.entity';

/** With more documents than this outside segments, as after an update, the index is useless. */
const MOST_LAG = 50_000;

/** Finds documents that may contain a text. */
export class CandidateFinder {
  constructor(
    private readonly database: Database,
    private readonly documents: IndexedDocuments,
    private readonly tables: TextIndexTables,
  ) {}

  /** Null if the index cannot serve: the text is too short, the owner has few documents, or it is not filled yet. */
  async find(ownerId: number, text: string): Promise<IndexAnswer | null> {
    const grams = gramsOf(text);
    if (grams.length === 0) {
      return null;
    }
    // Read before the segments, so that documents added to a segment in between are read twice and not missed.
    const [progress = []] = await readRows(
      this.database,
      `SELECT (SELECT message_id FROM ${this.tables.prefix}_progress), (SELECT MAX(id) FROM ${this.documents.table})`,
    );
    const [lastId = 0, newestId = 0] = progress.map(Number);
    if (newestId - lastId > MOST_LAG && (await countNewer(this.database, this.documents, lastId)) > MOST_LAG) {
      return null;
    }
    const bitmaps = await this.bitmaps(ownerId, grams);
    return bitmaps === null ? null : { lastId, newestId, candidates: await this.candidates(bitmaps) };
  }

  /**
   * Which documents of each segment have all the grams, and how long its list of documents was. Null for a segment that
   * is not built. It is one statement, so that no segment loses its grams between two statements.
   */
  private async bitmaps(
    ownerId: number,
    grams: number[],
  ): Promise<Map<number, { bitmap: Uint8Array; length: number }> | null> {
    const rows = await readRows(
      this.database,
      // Not `gram IN (…)`, for which MySQL would read all grams of each segment.
      `SELECT segment.id, segment.is_built, LENGTH(segment.messages), grams.postings
       FROM ${this.tables.prefix}_segments segment
       CROSS JOIN (${grams.map((gram) => `SELECT ${Number(gram)} AS gram`).join(' UNION ALL ')}) AS needed
       LEFT JOIN ${this.tables.prefix}_grams grams
         ON grams.segment_id = segment.id AND segment.is_built = ${BUILT} AND grams.gram = needed.gram
       WHERE segment.user_id = ?`,
      [ownerId],
    );
    const segments = new Map<number, { isBuilt: boolean; length: number; postings: Uint8Array[] }>();
    for (const [id, isBuilt, length, postings] of rows) {
      let segment = segments.get(Number(id));
      if (segment === undefined) {
        segment = { isBuilt: Number(isBuilt) === BUILT, length: Number(length), postings: [] };
        segments.set(Number(id), segment);
      }
      if (postings !== null) {
        segment.postings.push(toBytes(postings));
      }
    }
    if (![...segments.values()].some(({ isBuilt }) => isBuilt)) {
      return null;
    }
    const bitmaps = new Map<number, { bitmap: Uint8Array; length: number }>();
    for (const [id, { isBuilt, length, postings }] of segments) {
      if (!isBuilt || postings.length === grams.length) {
        bitmaps.set(id, { bitmap: isBuilt ? intersection(postings) : EVERY, length });
      }
    }
    return bitmaps;
  }

  private async candidates(bitmaps: Map<number, { bitmap: Uint8Array; length: number }>): Promise<Candidates> {
    const candidates = new Candidates();
    const ids = [...bitmaps].filter(([, { bitmap }]) => bitmap.some((byte) => byte !== 0)).map(([id]) => id);
    if (ids.length > 0) {
      const rows = await readRows(
        this.database,
        `SELECT id, chats, messages FROM ${this.tables.prefix}_segments WHERE id IN ${idList(ids)} ORDER BY id DESC`,
      );
      for (const [id, groups, documents] of rows) {
        const { bitmap, length } = bitmaps.get(Number(id)) ?? { bitmap: EVERY, length: 0 };
        const list = toBytes(documents);
        // The segment's documents changed between the statements, so the ordinals differ.
        candidates.add(toBytes(groups), list, list.length === length ? bitmap : EVERY);
      }
    }
    return candidates;
  }
}

const EVERY = new Uint8Array(SEGMENT_DOCUMENTS / 8).fill(0xff);
