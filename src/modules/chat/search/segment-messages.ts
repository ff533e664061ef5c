/** A message of a segment. */
export interface SegmentMessage {
  id: number;
  chatId: number;
}

/** The messages of one conversation in a segment: `ordinals` from `start` to before `end`. */
export interface SegmentRun {
  chatId: number;
  start: number;
  end: number;
}

/** The columns of a segment for these messages. Conversation stands after conversation, each with its newest message last. */
export function toColumns(messages: readonly SegmentMessage[]): { chats: Buffer; messages: Buffer } {
  const sorted = messages.toSorted((one, other) => one.chatId - other.chatId || one.id - other.id);
  const chats: number[] = [];
  for (const { chatId } of sorted) {
    if (chats.at(-2) === chatId) {
      chats[chats.length - 1]!++;
    } else {
      chats.push(chatId, 1);
    }
  }
  return { chats: toBytes(chats), messages: toBytes(sorted.map(({ id }) => id)) };
}

export function toRuns(chats: Uint8Array): SegmentRun[] {
  const numbers = toNumbers(chats);
  const runs: SegmentRun[] = [];
  let start = 0;
  for (let index = 0; index < numbers.length; index += 2) {
    const end = start + numbers[index + 1]!;
    runs.push({ chatId: numbers[index]!, start, end });
    start = end;
  }
  return runs;
}

export function toMessages(segment: { chats: Uint8Array; messages: Uint8Array }): SegmentMessage[] {
  const ids = toNumbers(segment.messages);
  return toRuns(segment.chats).flatMap(({ chatId, start, end }) =>
    Array.from(ids.subarray(start, end), (id) => ({ id, chatId })),
  );
}

/** Copied, because the bytes may begin anywhere in a buffer of the driver. */
export function toNumbers(bytes: Uint8Array): Int32Array {
  return new Int32Array(new Uint8Array(bytes).buffer);
}

function toBytes(numbers: number[]): Buffer {
  return Buffer.from(new Int32Array(numbers).buffer);
}
