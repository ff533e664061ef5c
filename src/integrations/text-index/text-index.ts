import { Logger } from '@nestjs/common';
import type { BackgroundWork } from '../../database/background-work';
import type { Database } from '../../database/database';
import type { SharedClock } from '../../database/shared-clock';
import { idList } from '../../database/statements/rows-by-id';
import { idsWithText } from '../../database/statements/text-search';
import { CandidateFinder } from './candidate-finder';
import type { Candidates, IndexAnswer } from './candidates';
import { DocumentCollector } from './document-collector';
import { DocumentEraser } from './document-eraser';
import { GroupScan, type GroupSize, type Step } from './group-scan';
import type { IndexedDocuments } from './indexed-documents';
import { SegmentBuilder } from './segment-builder';
import { StepSize } from './step-size';
import type { TextIndexTables } from './text-index-tables';

/** Searches the documents of one owner for a text. */
class GroupSearch {
  private readonly size = new StepSize();

  constructor(
    private readonly database: Database,
    private readonly documents: IndexedDocuments,
    private readonly sought: { ownerId: number; text: string },
    private readonly answer: IndexAnswer | null,
  ) {}

  /**
   * The groups of the owner that have a document with the text.
   *
   * @param sizes returns the sizes of these groups and perhaps others; it is called only if the index cannot serve
   */
  async among(groupIds: readonly number[], sizes: () => Promise<GroupSize[]>): Promise<number[]> {
    const found = await this.locate(groupIds, sizes);
    return groupIds.filter((id) => found.has(id));
  }

  /**
   * The ID of a document with the text, by group.
   *
   * @param condition SQL that selects some of the documents that can be found
   * @param sizes as for `among`
   */
  async locate(
    groupIds: readonly number[],
    sizes: () => Promise<GroupSize[]>,
    condition = '1 = 1',
  ): Promise<Map<number, number>> {
    const found = new Map<number, number>();
    if (groupIds.length === 0) {
      return found;
    }
    const read = async (step: Step): Promise<number[]> => {
      const documents = await this.find(step, condition);
      documents.forEach(([groupId, id]) => found.set(groupId, id));
      return documents.map(([groupId]) => groupId);
    };
    if (this.answer === null) {
      const wanted = new Set(groupIds);
      const groups = (await sizes()).filter(({ id }) => wanted.has(id));
      await new GroupScan(this.documents.columns, groups).run(read);
    } else {
      await this.confirm(this.answer, groupIds, { found, read });
    }
    return found;
  }

  /** Reads the documents that are not indexed yet, and the index's candidates. */
  private async confirm(
    { lastId, newestId, candidates }: IndexAnswer,
    groupIds: readonly number[],
    { found, read }: { found: Map<number, number>; read: (step: Step) => Promise<number[]> },
  ): Promise<void> {
    for (let id = lastId; id < newestId;) {
      const end = id + this.size.rows;
      const condition = `id > ? AND id <= ? AND ${this.documents.isOfOwner}`;
      await this.size.measure(() => read({ condition, parameters: [id, end, this.sought.ownerId] }));
      id = end;
    }
    const wanted = new Set(groupIds);
    const left = (): number[] => candidates.groupIds.filter((id) => wanted.has(id) && !found.has(id));
    // The newest candidate usually contains the text. Then no other document of its group is read.
    const newest = left().flatMap((groupId) => candidates.of(groupId).next().value ?? []);
    await this.readDocuments(newest, read);
    await this.readDocuments(otherCandidates(left(), candidates, found), read);
  }

  /** @param ids is continued after each step, so it can end early */
  private async readDocuments(ids: Iterable<number>, read: (step: Step) => Promise<unknown>): Promise<void> {
    const readBatch = async (batch: readonly number[]): Promise<void> => {
      await this.size.measure(() => read({ condition: `id IN ${idList(batch)}`, parameters: [] }));
    };
    let batch: number[] = [];
    for (const id of ids) {
      batch.push(id);
      if (batch.length >= this.size.rows) {
        await readBatch(batch);
        batch = [];
      }
    }
    if (batch.length > 0) {
      await readBatch(batch);
    }
  }

  /** Groups with a document in the step that contains the text, and such a document. */
  private find({ condition, parameters }: Step, isWanted: string): Promise<[groupId: number, id: number][]> {
    const { table, columns, isFound } = this.documents;
    const rows = `${table} WHERE ${condition} AND ${isFound} AND ${isWanted}`;
    const source = { key: columns.group, column: columns.text, rows, parameters };
    return idsWithText(this.database, source, 'id', this.sought.text);
  }
}

/** The candidates of these groups after the newest, until the text is found in their group. */
function* otherCandidates(
  groupIds: readonly number[],
  candidates: Candidates,
  found: ReadonlyMap<number, number>,
): Generator<number, void> {
  for (const groupId of groupIds) {
    const others = candidates.of(groupId);
    others.next();
    for (const id of others) {
      if (found.has(groupId)) {
        break;
      }
      yield id;
    }
  }
}

/** Pause between two steps of pending work, in milliseconds, for the other work of the service. */
const PAUSE_MILLISECONDS = 5;
const IDLE_MILLISECONDS = 10_000;

/**
 * An index of texts of one kind, such as messages. It names documents that may contain a text, and a search then reads
 * them.
 *
 * Documents are not added by calls: a loop reads them through `IndexedDocuments`, so that no request waits for the
 * index. Start reading with `DocumentCollector`, which adds documents to segments. `SegmentBuilder` stores the grams of
 * full ones, `CandidateFinder` reads the grams, `GroupSearch` checks the candidates, and `DocumentEraser` removes
 * erased documents.
 */
export class TextIndex {
  protected readonly database: Database;
  private readonly logger = new Logger(TextIndex.name);
  private readonly collector: DocumentCollector;
  private readonly builder: SegmentBuilder;
  private readonly finder: CandidateFinder;
  private readonly eraser: DocumentEraser;

  constructor(
    { database, clock, background }: { database: Database; clock: SharedClock; background: BackgroundWork },
    private readonly documents: IndexedDocuments,
    tables: TextIndexTables,
  ) {
    this.database = database;
    this.collector = new DocumentCollector(database, clock, documents, tables);
    this.builder = new SegmentBuilder(database, clock, documents, tables);
    this.finder = new CandidateFinder(database, documents, tables);
    this.eraser = new DocumentEraser(database, tables);
    background.add({
      step: async () => ((await this.fill()) ? PAUSE_MILLISECONDS : null),
      onError: (error) => this.logger.warn({ error }, 'The index of the search could not be filled.'),
      idleMilliseconds: IDLE_MILLISECONDS,
    });
  }

  /** Finds the groups of an owner that have a document with the text, whether or not the index can serve. */
  async search(ownerId: number, text: string): Promise<GroupSearch> {
    const answer = await this.candidates(ownerId, text);
    return new GroupSearch(this.database, this.documents, { ownerId, text }, answer);
  }

  /**
   * The documents of an owner that may contain a text, by their groups.
   *
   * @returns null if the index cannot serve: the text is too short, the owner has few documents, or it is not filled
   * yet
   */
  candidates(ownerId: number, text: string): Promise<IndexAnswer | null> {
    return this.finder.find(ownerId, text);
  }

  /**
   * Removes groups from the index. Call it after their documents are erased: a loop that is indexing a document either
   * finds that it is gone, or stops here.
   *
   * @param ownerIds the owners of the groups
   */
  removeGroups(ownerIds: readonly number[], groupIds: readonly number[]): Promise<void> {
    return this.eraser.removeGroups(ownerIds, groupIds);
  }

  /** Removes all documents of an owner. */
  removeOwner(ownerId: number): Promise<void> {
    return this.eraser.removeOwner(ownerId);
  }

  /** Adds some documents to segments, and builds a segment. @returns whether more work waits */
  async fill(): Promise<boolean> {
    const hasMore = await this.collector.collect();
    return (await this.builder.buildOne()) || hasMore;
  }

  /** Upper bound for the documents that are in no segment yet, which the next search reads. */
  lag(): Promise<number> {
    return this.collector.lag();
  }

  /** How many segments wait to be built. The next search reads their documents. */
  waiting(): Promise<number> {
    return this.builder.waiting();
  }
}
