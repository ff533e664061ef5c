import { type EntityManager, In } from 'typeorm';
import type { Database } from '../../database/database';
import { SettledIds } from '../../database/settled-ids';
import type { SharedClock } from '../../database/shared-clock';
import { lockForClaim } from '../../database/statements/row-lock';
import { runForRow } from '../../database/statements/run-statement';
import { countNewer, type IndexedDocument, type IndexedDocuments, type NewDocument } from './indexed-documents';
import { SEGMENT_DOCUMENTS } from './postings';
import { toColumns, toDocuments } from './segment-documents';
import type { TextIndexTables } from './text-index-tables';
import type { TextSegmentEntity } from './text-segment.entity';

/** Most documents in one transaction. */
const BATCH = 400;

/** A segment is full with this much text too, so that a search never reads more of an open segment. */
const FULL_LENGTH = 4_000_000;

/**
 * Adds documents to the segments of their owners, in the order of their ids. The newest documents wait until no lower
 * id can appear. Until then the search reads them directly, so only their number matters, not the time.
 */
export class DocumentCollector {
  /** Tests set it; it is not a setting. */
  segmentDocuments = SEGMENT_DOCUMENTS;
  private readonly settledIds: SettledIds;

  constructor(
    private readonly database: Database,
    clock: SharedClock,
    private readonly documents: IndexedDocuments,
    private readonly tables: TextIndexTables,
  ) {
    this.settledIds = new SettledIds(clock);
  }

  /** Collects one batch, unless another instance is doing so. @returns whether there are more */
  collect(): Promise<boolean> {
    return this.database.write(async (manager) => {
      const progress = await lockForClaim(
        manager,
        manager.createQueryBuilder(this.tables.progress, 'progress'),
      ).getOne();
      if (progress === null) {
        return false;
      }
      const limit = this.settledIds.limit ?? 0;
      const batch = await this.documents.after(manager, progress.documentId, BATCH);
      const end = batch.findIndex(({ id, isOpen }) => isOpen || id > limit);
      const settled = end === -1 ? batch : batch.slice(0, end);
      if (settled.length < batch.length) {
        this.settledIds.see(await this.newestId(manager, batch));
      }
      const last = settled.at(-1);
      if (last === undefined) {
        return false;
      }
      await this.store(manager, settled);
      await manager.update(this.tables.progress, { id: progress.id }, { documentId: last.id });
      return settled.length === BATCH;
    });
  }

  /**
   * Upper bound for the documents of all owners that the next search reads outside segments; at most 100,000 are
   * counted.
   */
  async lag(): Promise<number> {
    const progress = await this.database.repository(this.tables.progress).findOneByOrFail({});
    return countNewer(this.database, this.documents, progress.documentId);
  }

  /** An incomplete batch ends with the newest document. */
  private async newestId(manager: EntityManager, batch: NewDocument[]): Promise<number> {
    const newest =
      batch.length < BATCH
        ? batch.at(-1)?.id
        : (await runForRow(manager, `SELECT MAX(id) FROM ${this.documents.table}`, []))?.[0];
    return Number(newest);
  }

  private async store(manager: EntityManager, batch: NewDocument[]): Promise<void> {
    const byOwner = new Map<number, NewDocument[]>();
    for (const document of batch) {
      if (document.ownerId !== null) {
        byOwner.set(document.ownerId, [...(byOwner.get(document.ownerId) ?? []), document]);
      }
    }
    const open = await manager.findBy(this.tables.segments, { ownerId: In([...byOwner.keys()]), isFull: false });
    for (const [ownerId, documents] of byOwner) {
      let segment = open.find((candidate) => candidate.ownerId === ownerId) ?? this.emptySegment(manager, ownerId);
      for (let rest = documents; rest.length > 0;) {
        rest = this.fill(segment, rest);
        await manager.save(segment);
        segment = this.emptySegment(manager, ownerId);
      }
    }
  }

  /** Adds as many documents as fit. @returns the others */
  private fill(segment: TextSegmentEntity, documents: NewDocument[]): NewDocument[] {
    const within: IndexedDocument[] = toDocuments(segment);
    let taken = 0;
    for (const document of documents) {
      if (within.length === this.segmentDocuments || segment.textLength >= FULL_LENGTH) {
        break;
      }
      within.push(document);
      segment.textLength += document.length;
      taken++;
    }
    segment.isFull = within.length === this.segmentDocuments || segment.textLength >= FULL_LENGTH;
    Object.assign(segment, toColumns(within));
    return documents.slice(taken);
  }

  private emptySegment(manager: EntityManager, ownerId: number): TextSegmentEntity {
    return manager.create(this.tables.segments, {
      ownerId,
      ...toColumns([]),
      textLength: 0,
      isFull: false,
      isBuilt: false,
      claim: null,
      claimedUntil: null,
    });
  }
}
