/** The position of a value in JSON text. */
export interface JsonRange {
  from: number;
  /** After the last byte. */
  to: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set(Buffer.from('{['));
const CLOSING = new Set(Buffer.from('}]'));
const SEPARATORS = new Set(Buffer.from(' \t\r\n,:'));
/** What ends a number or a word. */
const ENDS = new Set(Buffer.from(' \t\r\n,:}]'));

/** The members of the object that begins at or after this position, in valid JSON. A name may occur twice. */
export function membersAt(json: Buffer, start: number): { name: string; value: JsonRange }[] {
  const members: { name: string; value: JsonRange }[] = [];
  const parts = itemsAt(json, start);
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const name = parts[index] as JsonRange;
    members.push({ name: JSON.parse(textOf(json, name)) as string, value: parts[index + 1] as JsonRange });
  }
  return members;
}

/** The values of the array that begins at or after this position, in valid JSON; those of an object with its names. */
export function itemsAt(json: Buffer, start: number): JsonRange[] {
  const items: JsonRange[] = [];
  let index = start;
  while (!OPENING.has(json[index] ?? 0) && index < json.length) {
    index++;
  }
  for (index = skipSeparators(json, index + 1); !CLOSING.has(json[index] ?? 0) && index < json.length;) {
    const to = endOfValue(json, index);
    items.push({ from: index, to });
    index = skipSeparators(json, to);
  }
  return items;
}

/** The text of a value. */
export function textOf(json: Buffer, { from, to }: JsonRange): string {
  return json.toString('utf8', from, to);
}

/** The bytes with these ranges, in their order, replaced by other texts. */
export function withReplaced(json: Buffer, changes: readonly { range: JsonRange; text: string }[]): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { range, text } of [...changes].sort((one, other) => one.range.from - other.range.from)) {
    parts.push(json.subarray(from, range.from), Buffer.from(text));
    from = range.to;
  }
  return changes.length === 0 ? json : Buffer.concat([...parts, json.subarray(from)]);
}

function skipSeparators(json: Buffer, start: number): number {
  let index = start;
  while (SEPARATORS.has(json[index] ?? 0)) {
    index++;
  }
  return index;
}

function endOfValue(json: Buffer, start: number): number {
  const first = json[start] ?? 0;
  if (first === QUOTE) {
    return endOfText(json, start);
  }
  let index = start;
  if (!OPENING.has(first)) {
    while (!ENDS.has(json[index] ?? 0) && index < json.length) {
      index++;
    }
    return index;
  }
  let depth = 0;
  do {
    const byte = json[index] ?? 0;
    depth += OPENING.has(byte) ? 1 : CLOSING.has(byte) ? -1 : 0;
    index = byte === QUOTE ? endOfText(json, index) : index + 1;
  } while (depth > 0 && index < json.length);
  return index;
}

/** The position after the closing quote. */
function endOfText(json: Buffer, start: number): number {
  let index = json.indexOf(QUOTE, start + 1);
  while (index !== -1 && isEscaped(json, index)) {
    index = json.indexOf(QUOTE, index + 1);
  }
  return index === -1 ? json.length : index + 1;
}

/** Whether an odd number of backslashes is before this position. */
function isEscaped(json: Buffer, index: number): boolean {
  let backslashes = 0;
  while (json[index - 1 - backslashes] === BACKSLASH) {
    backslashes++;
  }
  return backslashes % 2 === 1;
}
