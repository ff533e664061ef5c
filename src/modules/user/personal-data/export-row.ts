/** A long text of a row of an export, in pieces. It is never in memory as a whole. */
export class LongText {
  constructor(readonly pieces: AsyncIterable<string>) {}
}

/** The JSON of a row of an export, in pieces. A member may be a `LongText`, or rows that are read one after the other. */
export async function* toRowJson(row: object): AsyncGenerator<string> {
  const members = Object.entries(row) as [string, unknown][];
  if (!members.some(([, value]) => value instanceof LongText || isAsyncIterable(value))) {
    yield JSON.stringify(row);
    return;
  }
  let separator = '{';
  for (const [name, value] of members) {
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (value instanceof LongText) {
      yield* toTextJson(value);
    } else if (isAsyncIterable(value)) {
      yield* toListJson(value);
    } else {
      yield JSON.stringify(value);
    }
  }
  yield '}';
}

/** The JSON of a list of rows, in pieces. */
export async function* toListJson(rows: AsyncIterable<object>): AsyncGenerator<string> {
  let separator = '[';
  for await (const row of rows) {
    yield separator;
    yield* toRowJson(row);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

async function* toTextJson({ pieces }: LongText): AsyncGenerator<string> {
  yield '"';
  for await (const piece of pieces) {
    // Half of a character at the end of a piece is escaped, and so is the other half in the next one.
    yield JSON.stringify(piece).slice(1, -1);
  }
  yield '"';
}

function isAsyncIterable(value: unknown): value is AsyncIterable<object> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
