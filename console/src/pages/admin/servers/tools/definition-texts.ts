import { type Change, diffLines, diffWordsWithSpace } from 'diff';
import { visibleJson, visibleText } from '../../../../components/acting/visible-json';

/** A member of a tool definition as readable text. */
export interface DefinitionText {
  /** Name of the member, such as `description`. */
  name: string;
  text: string;
}

/** The members that matter most are shown first. */
const FIRST = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

/** The service has escaped invisible characters, as in `\u200b`. JSON doubles the backslash. */
const DOUBLED = /\\\\(?=u[0-9a-f]{4})/g;

/** All members of a definition except its name: strings unchanged, other values as JSON with sorted members. */
export function textsOf(definition: unknown): DefinitionText[] {
  const { name: _name, ...members } = (definition ?? {}) as Record<string, unknown>;
  const place = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return Object.keys(members)
    .toSorted((one, other) => place(one) - place(other) || (one < other ? -1 : 1))
    .map((name) => ({ name, text: textOf(members[name]) }));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? visibleText(value) : visibleJson(sorted(value)).replace(DOUBLED, '\\');
}

/** Sorts the members, so that a different order is not shown as a change. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

/** A part of a line. */
export interface Piece {
  text: string;
  isChanged: boolean;
}

/** A line of one side. `left_out` replaces several lines that are equal on both sides. */
export type Line = { kind: 'same' | 'changed'; pieces: Piece[] } | { kind: 'left_out'; count: number };

export interface Sides {
  before: Line[];
  after: Line[];
}

/** Number of equal lines around a change. */
const CONTEXT = 3;

/** Maximum edit distance. If the texts differ more, both count as changed completely. */
const MOST_EDITS = 2_000;

/** A line diff of two texts. Changes are marked, and long equal parts are left out. */
export function sidesOf(before: string, after: string): Sides {
  const sides: Sides = { before: [], after: [] };
  const parts = diffLines(`${before}\n`, `${after}\n`, { maxEditLength: MOST_EDITS }) ?? [
    change(`${before}\n`, 'removed'),
    change(`${after}\n`, 'added'),
  ];
  parts.forEach((part, index) => {
    const lines = part.value.replace(/\n$/, '').split('\n');
    if (part.removed) {
      const next = parts[index + 1];
      const others = next?.added ? next.value.replace(/\n$/, '').split('\n') : [];
      lines.forEach((line, at) => sides.before.push(changed(line, others[at], 'removed')));
      others.forEach((line, at) => sides.after.push(changed(line, lines[at], 'added')));
    } else if (part.added) {
      if (!parts[index - 1]?.removed) lines.forEach((line) => sides.after.push(changed(line, undefined, 'added')));
    } else {
      const kept = folded(lines, index === 0, index === parts.length - 1);
      sides.before.push(...kept);
      sides.after.push(...kept);
    }
  });
  return sides;
}

function change(value: string, kind: 'added' | 'removed'): Change {
  return { value, count: 1, added: kind === 'added', removed: kind === 'removed' };
}

/** A new or changed line of one side, with the changed words. */
function changed(line: string, other: string | undefined, side: 'added' | 'removed'): Line {
  const words = other === undefined ? undefined : side === 'added' ? compared(other, line) : compared(line, other);
  const pieces = words
    ?.filter(({ added, removed }) => (side === 'added' ? !removed : !added))
    .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
  // If the lines have no words in common, marks within the line would not help.
  const isOther = pieces === undefined || pieces.every(({ text, isChanged }) => isChanged || text.trim() === '');
  return { kind: 'changed', pieces: isOther ? [{ text: line, isChanged: false }] : pieces };
}

function compared(before: string, after: string): Change[] | undefined {
  return diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS });
}

function folded(lines: string[], isFirst: boolean, isLast: boolean): Line[] {
  const shown = lines.map((text): Line => ({ kind: 'same', pieces: [{ text, isChanged: false }] }));
  const head = isFirst ? 0 : CONTEXT;
  const tail = isLast ? 0 : CONTEXT;
  const count = lines.length - head - tail;
  if (count <= CONTEXT) return shown;
  return [...shown.slice(0, head), { kind: 'left_out', count }, ...shown.slice(lines.length - tail)];
}
