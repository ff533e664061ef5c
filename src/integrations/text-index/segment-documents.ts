import type { IndexedDocument } from './indexed-documents';

/** The documents of one group in a segment: `ordinals` from `start` to before `end`. */
export interface SegmentRun {
  groupId: number;
  start: number;
  end: number;
}

/** The columns of a segment for these documents, group by group, each with its newest document last. */
export function toColumns(documents: readonly IndexedDocument[]): { groups: Buffer; documents: Buffer } {
  const sorted = documents.toSorted((one, other) => one.groupId - other.groupId || one.id - other.id);
  const groups: number[] = [];
  for (const { groupId } of sorted) {
    if (groups.at(-2) === groupId) {
      groups[groups.length - 1]!++;
    } else {
      groups.push(groupId, 1);
    }
  }
  return { groups: toBytes(groups), documents: toBytes(sorted.map(({ id }) => id)) };
}

export function toRuns(groups: Uint8Array): SegmentRun[] {
  const numbers = toNumbers(groups);
  const runs: SegmentRun[] = [];
  let start = 0;
  for (let index = 0; index < numbers.length; index += 2) {
    const end = start + numbers[index + 1]!;
    runs.push({ groupId: numbers[index]!, start, end });
    start = end;
  }
  return runs;
}

export function toDocuments(segment: { groups: Uint8Array; documents: Uint8Array }): IndexedDocument[] {
  const ids = toNumbers(segment.documents);
  return toRuns(segment.groups).flatMap(({ groupId, start, end }) =>
    Array.from(ids.subarray(start, end), (id) => ({ id, groupId })),
  );
}

/** Copied, because the bytes may start at any offset in a buffer of the driver. */
export function toNumbers(bytes: Uint8Array): Int32Array {
  return new Int32Array(new Uint8Array(bytes).buffer);
}

function toBytes(numbers: number[]): Buffer {
  return Buffer.from(new Int32Array(numbers).buffer);
}
