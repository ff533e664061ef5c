import { randomInt } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { characterStart } from '../../common/text/surrogate-pairs';
import { MINUTE_MILLISECONDS } from '../../common/time';
import type { Database } from '../../database/database';
import type { SharedClock } from '../../database/shared-clock';
import { lockForClaim } from '../../database/statements/row-lock';
import { execute } from '../../database/statements/run-statement';
import { updateRows } from '../../database/statements/update';
import { deleteGrams } from './document-eraser';
import { GramReader } from './grams';
import { documentTexts, type IndexedDocuments, lengthsOf, mayChange } from './indexed-documents';
import { toPostings } from './postings';
import { toNumbers } from './segment-documents';
import type { TextIndexTables } from './text-index-tables';
import { BUILT, type TextSegmentEntity } from './text-segment.entity';

/** Most grams in memory, in some 50 MB. Ordinary segments have fewer. */
const MOST_GRAMS = 1_000_000;

/** A gram with the ordinals of its documents. */
type GramRow = [gram: number, ordinals: number[]];

/**
 * Grams are numbers of 31 bits. Those with the same highest bits form one part, which is small enough to be sorted at
 * once.
 */
const PART_BITS = 21;
const PARTS = 2 ** (31 - PART_BITS);

/**
 * The grams of a segment from a part on, with the ordinals of their documents. If there are too many, the last parts
 * are left to another pass over the texts. A text of random letters has two grams for each letter.
 */
export class CollectedGrams {
  /** The first part that is left to the next pass. */
  private end = PARTS;
  private size = 0;
  private readonly parts: Map<number, number | number[]>[];

  constructor(
    private readonly start = 0,
    private readonly most = MOST_GRAMS,
  ) {
    this.parts = Array.from({ length: PARTS }, () => new Map<number, number | number[]>());
  }

  /** The first part of the next pass; null: there is none. */
  get next(): number | null {
    return this.end < PARTS ? this.end : null;
  }

  /** @param ordinal not less than the previous ones */
  add(gram: number, ordinal: number): void {
    const place = gram >>> PART_BITS;
    const part = this.parts[place];
    if (part === undefined || place < this.start || place >= this.end) {
      return;
    }
    const ordinals = part.get(gram);
    if (ordinals === undefined) {
      part.set(gram, ordinal);
      this.size++;
      this.leaveLastParts();
    } else if (typeof ordinals !== 'number') {
      if (ordinals.at(-1) !== ordinal) {
        ordinals.push(ordinal);
      }
    } else if (ordinals !== ordinal) {
      part.set(gram, [ordinals, ordinal]);
    }
  }

  /** Batches of the given size, sorted. */
  *batches(size: number): Generator<GramRow[], void> {
    let batch: GramRow[] = [];
    for (const part of this.parts.slice(this.start, this.end)) {
      for (const [gram, ordinals] of [...part].sort(([one], [other]) => one - other)) {
        batch.push([gram, typeof ordinals === 'number' ? [ordinals] : ordinals]);
        if (batch.length === size) {
          yield batch;
          batch = [];
        }
      }
    }
    if (batch.length > 0) {
      yield batch;
    }
  }

  private leaveLastParts(): void {
    while (this.size > this.most && this.end > this.start + 1) {
      this.end--;
      const left = this.parts[this.end];
      this.size -= left?.size ?? 0;
      left?.clear();
    }
  }
}

/** Other work can run between two pieces of text of this length, and between two batches of this many rows. */
const PIECE_LENGTH = 8_192;
const SIZE_BATCH = 512;
const GRAM_BATCH = 300;

/** A claim without progress for this time belongs to an instance that has died. */
const CLAIM_MILLISECONDS = MINUTE_MILLISECONDS;

/** How long a segment with a changeable text is skipped, because many such segments must not block the others. */
const WAIT_MILLISECONDS = 15 * MINUTE_MILLISECONDS;

/** Stores the grams of full segments. */
export class SegmentBuilder {
  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly documents: IndexedDocuments,
    private readonly tables: TextIndexTables,
  ) {}

  /** How many segments wait to be built. */
  waiting(): Promise<number> {
    return this.database
      .repository(this.tables.segments)
      .createQueryBuilder('segment')
      .where('segment.is_full = 1 AND segment.is_built < :built', { built: BUILT })
      .getCount();
  }

  /** @returns false if there was none to build */
  async buildOne(): Promise<boolean> {
    const segment = await this.claim();
    if (segment === null) {
      return false;
    }
    const ids = toNumbers(segment.documents);
    if (await mayChange(this.database, this.documents, [...ids])) {
      await this.whileOurs(segment, { claimedUntil: this.claimEnd(WAIT_MILLISECONDS) }, () => Promise.resolve());
      return true;
    }
    await deleteGrams(this.database, this.tables, segment.id);
    let isOurs = true;
    for (let start: number | null = 0; isOurs && start !== null;) {
      const grams: CollectedGrams = await this.read(ids, start);
      isOurs = await this.store(segment, grams);
      start = grams.next;
    }
    if (isOurs) {
      await this.whileOurs(segment, { claim: null }, (manager) => this.markBuilt(manager, segment.id));
    }
    return true;
  }

  /** @returns false if another instance has taken over the segment, or its documents have changed */
  private async store(segment: TextSegmentEntity, grams: CollectedGrams): Promise<boolean> {
    for (const rows of grams.batches(GRAM_BATCH)) {
      if (!(await this.whileOurs(segment, {}, (manager) => this.insertGrams(manager, segment.id, rows)))) {
        return false;
      }
    }
    return true;
  }

  private claim(): Promise<TextSegmentEntity | null> {
    return this.database.write(async (manager) => {
      const waiting = manager
        .createQueryBuilder(this.tables.segments, 'segment')
        .where('segment.is_full = 1 AND segment.is_built < :built', { built: BUILT })
        .andWhere('(segment.claimed_until IS NULL OR segment.claimed_until < :now)', { now: this.clock.now() })
        .orderBy('segment.id')
        .limit(1);
      const segment = await lockForClaim(manager, waiting).getOne();
      if (segment === null) {
        return null;
      }
      const claim = randomInt(1, 2 ** 31 - 1);
      const change = { claim, claimedUntil: this.claimEnd(), isBuilt: false };
      await manager.update(this.tables.segments, { id: segment.id }, change);
      return { ...segment, claim };
    });
  }

  /**
   * Runs `work` in a transaction that locks the segment, unless its documents have changed or another instance has
   * claimed it.
   */
  private whileOurs(
    { id, claim }: TextSegmentEntity,
    changes: Partial<TextSegmentEntity>,
    work: (manager: EntityManager) => Promise<void>,
  ): Promise<boolean> {
    return this.database.write(async (manager) => {
      const all = { claimedUntil: this.claimEnd(), ...changes };
      const affected = await updateRows(manager, this.tables.segments, all, 'id = ? AND claim = ?', [id, claim ?? 0]);
      if (affected === 1) {
        await work(manager);
      }
      return affected === 1;
    });
  }

  private claimEnd(milliseconds = CLAIM_MILLISECONDS): Date {
    return new Date(this.clock.now().getTime() + milliseconds);
  }

  /** The grams from a part on, as many as one pass can hold. */
  private async read(ids: Int32Array, start: number): Promise<CollectedGrams> {
    const ordinals = new Map(Array.from(ids, (id, ordinal) => [id, ordinal]));
    const grams = new CollectedGrams(start);
    for (let start = 0; start < ids.length; start += SIZE_BATCH) {
      for (const batch of await this.batches([...ids.subarray(start, start + SIZE_BATCH)])) {
        const texts = await documentTexts(this.database, this.documents, batch);
        // Sorted by ordinal, because postings are in this order.
        const inOrder = Array.from(texts, ([id, text]) => ({ ordinal: ordinals.get(id) ?? 0, text }));
        for (const { ordinal, text } of inOrder.sort((one, other) => one.ordinal - other.ordinal)) {
          await addText(grams, ordinal, text);
        }
        await turn();
      }
    }
    return grams;
  }

  /** Splits the ids into batches with little text each. */
  private async batches(ids: number[]): Promise<number[][]> {
    const lengths = await lengthsOf(this.database, this.documents, ids);
    const batches: number[][] = [];
    let left = 0;
    for (const id of ids.filter((candidate) => lengths.has(candidate))) {
      left -= lengths.get(id) ?? 0;
      if (left < 0 || batches.length === 0) {
        batches.push([]);
        left = PIECE_LENGTH - (lengths.get(id) ?? 0);
      }
      batches.at(-1)?.push(id);
    }
    return batches;
  }

  private async markBuilt(manager: EntityManager, segmentId: number): Promise<void> {
    await execute(manager, `UPDATE ${this.tables.prefix}_segments SET is_built = ? WHERE id = ?`, [BUILT, segmentId]);
  }

  private async insertGrams(manager: EntityManager, segmentId: number, rows: GramRow[]): Promise<void> {
    const places = rows.map(() => '(?, ?, ?)').join(', ');
    const statement = `INSERT INTO ${this.tables.prefix}_grams (segment_id, gram, postings) VALUES ${places}`;
    await manager.query(
      statement,
      rows.flatMap(([gram, ordinals]) => [segmentId, gram, toPostings(ordinals)]),
    );
  }
}

async function addText(grams: CollectedGrams, ordinal: number, text: string): Promise<void> {
  const reader = new GramReader((gram) => grams.add(gram, ordinal));
  for (let start = 0; start < text.length;) {
    const end = characterStart(text, Math.min(text.length, start + PIECE_LENGTH));
    reader.read(text.slice(start, end));
    start = end;
    if (start < text.length) {
      await turn();
    }
  }
}
