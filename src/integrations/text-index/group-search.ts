import type { Database } from '../../database/database';
import { idList } from '../../database/statements/rows-by-id';
import { keysWithText } from '../../database/statements/text-search';
import type { IndexAnswer } from './candidates';
import { GroupScan, type GroupSize, type Step } from './group-scan';
import type { IndexedDocuments } from './indexed-documents';
import { StepSize } from './step-size';

/** Looks for a text in the documents of one owner. */
export class GroupSearch {
  private readonly size = new StepSize();

  constructor(
    private readonly database: Database,
    private readonly documents: IndexedDocuments,
    private readonly sought: { ownerId: number; text: string },
    private readonly answer: IndexAnswer | null,
  ) {}

  /**
   * Those of the owner's groups that have a document with the text.
   *
   * @param sizes tells how long groups are, these and perhaps others; it is only asked when the index cannot serve
   */
  async among(groupIds: readonly number[], sizes: () => Promise<GroupSize[]>): Promise<number[]> {
    const left = new Set(groupIds);
    if (this.answer === null) {
      const scan = new GroupScan(
        this.documents.columns,
        (await sizes()).filter(({ id }) => left.has(id)),
      );
      return scan.run((step) => this.find(step));
    }
    await this.confirm(this.answer, left);
    return groupIds.filter((id) => !left.has(id));
  }

  /** Reads the documents that the index does not know yet, and those that it names. Leaves the groups without the text. */
  private async confirm({ lastId, newestId, candidates }: IndexAnswer, left: Set<number>): Promise<void> {
    for (let id = lastId; id < newestId;) {
      const end = id + this.size.rows;
      const condition = `id > ? AND id <= ? AND ${this.documents.isOfOwner}`;
      await this.read({ condition, parameters: [id, end, this.sought.ownerId] }, left);
      id = end;
    }
    const firstOf = (groupId: number): number[] => {
      const first = candidates.of(groupId).next();
      return first.done ? [] : [first.value];
    };
    // Mostly the newest candidate has the text. Then no other of its group is read.
    await this.readDocuments(candidates.groupIds.filter((id) => left.has(id)).flatMap(firstOf), left);
    for (const groupId of candidates.groupIds.filter((id) => left.has(id))) {
      await this.readDocuments([...candidates.of(groupId)].slice(1), left);
    }
  }

  private async readDocuments(ids: readonly number[], left: Set<number>): Promise<void> {
    for (let start = 0; start < ids.length;) {
      const batch = ids.slice(start, start + this.size.rows);
      start += batch.length;
      await this.read({ condition: `id IN ${idList(batch)}`, parameters: [] }, left);
    }
  }

  private async read(step: Step, left: Set<number>): Promise<void> {
    const found = await this.size.measure(() => this.find(step));
    found.forEach((id) => left.delete(id));
  }

  private find({ condition, parameters }: Step): Promise<number[]> {
    const { table, columns, isFound } = this.documents;
    const rows = `${table} WHERE ${condition} AND ${isFound}`;
    return keysWithText(
      this.database,
      { key: columns.group, column: columns.text, rows, parameters },
      this.sought.text,
    );
  }
}
