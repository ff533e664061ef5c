import { setBits } from './postings';
import { type SegmentRun, toNumbers, toRuns } from './segment-documents';

/** The index's answer for a text and an owner. */
export interface IndexAnswer {
  /** Documents of any owner after this one may also contain the text. */
  lastId: number;
  /** The newest document of all owners. */
  newestId: number;
  candidates: Candidates;
}

/** Documents that may contain a text, by their groups. */
export class Candidates {
  private readonly runs = new Map<number, { run: SegmentRun; ids: Int32Array; bitmap: Uint8Array }[]>();

  /** Call it for the newest segment first. */
  add(groups: Uint8Array, documents: Uint8Array, bitmap: Uint8Array): void {
    const ids = toNumbers(documents);
    for (const run of toRuns(groups)) {
      const candidate = { run, ids, bitmap };
      const others = this.runs.get(run.groupId);
      if (others === undefined) {
        this.runs.set(run.groupId, [candidate]);
      } else {
        others.push(candidate);
      }
    }
  }

  get groupIds(): number[] {
    return [...this.runs.keys()];
  }

  /** The candidates of a group, the newest first. */
  *of(groupId: number): Generator<number, void> {
    for (const { run, ids, bitmap } of this.runs.get(groupId) ?? []) {
      for (const ordinal of setBits(bitmap, run.start, run.end)) {
        yield ids[ordinal] ?? 0;
      }
    }
  }
}
