import type { IndexedDocuments } from './indexed-documents';
import { StepSize } from './step-size';

/** A group, with the number of its searchable documents. */
export interface GroupSize {
  id: number;
  documents: number;
}

/** The documents that a step reads, as a condition about their rows. */
export interface Step {
  condition: string;
  parameters: number[];
}

/**
 * Reads the documents of groups in short steps, so that many searches can take turns. A step reads a few groups, or a
 * part of a long one. A group is not read further once a document is found in it.
 */
export class GroupScan {
  private readonly size = new StepSize();
  /** The next group, and the place in it from which to read. */
  private next = 0;
  private place = 0;

  constructor(
    private readonly columns: Pick<IndexedDocuments['columns'], 'group' | 'place'>,
    private readonly groups: readonly GroupSize[],
  ) {}

  /** @param find returns the groups with a document in the step that contains the text */
  async run(find: (step: Step) => Promise<number[]>): Promise<number[]> {
    const found: number[] = [];
    for (let group = this.groups[0]; group !== undefined; group = this.groups[this.next]) {
      const inStep = await this.size.measure(() => find(this.step(group)));
      found.push(...inStep);
      if (this.place > 0 && inStep.length > 0) {
        this.leave();
      }
    }
    return found;
  }

  private step({ id, documents }: GroupSize): Step {
    const { group, place } = this.columns;
    const from = this.place;
    const end = from + this.size.rows;
    if (documents > end) {
      this.place = end;
      return { condition: `${group} = ? AND ${place} >= ? AND ${place} < ?`, parameters: [id, from, end] };
    }
    if (from > 0) {
      this.leave();
      return { condition: `${group} = ? AND ${place} >= ?`, parameters: [id, from] };
    }
    const ids = this.takeShort();
    return { condition: `${group} IN (${ids.map(() => '?').join(', ')})`, parameters: ids };
  }

  /** The next groups that are short enough to be read together. */
  private takeShort(): number[] {
    const ids: number[] = [];
    for (let left = this.size.rows; this.next < this.groups.length && ids.length < this.size.rows; this.next++) {
      const { id, documents } = this.groups[this.next]!;
      left -= documents;
      if (left < 0) {
        break;
      }
      ids.push(id);
    }
    return ids;
  }

  private leave(): void {
    this.next++;
    this.place = 0;
  }
}
