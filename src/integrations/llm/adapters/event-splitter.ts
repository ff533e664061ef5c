/** Largest event of a stream, in bytes. */
const LARGEST_EVENT = 8 * 1_048_576;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Divides the bytes of an event stream into complete events, without changing them. */
export class EventSplitter {
  private rest: Buffer = Buffer.alloc(0);

  /** Whether an event has begun and is not complete. */
  get isWithinEvent(): boolean {
    return this.rest.length > 0;
  }

  /**
   * The events that are complete with these bytes, each with the empty line at its end.
   *
   * @throws RangeError for an event that is too large
   */
  add(bytes: Buffer): Buffer[] {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const events: Buffer[] = [];
    let start = 0;
    // The end of a line may have been the last byte so far, so the search begins before the new bytes.
    for (let end = endOfEvent(all, Math.max(0, this.rest.length - 3)); end !== -1; end = endOfEvent(all, start)) {
      events.push(all.subarray(start, end));
      start = end;
    }
    this.rest = all.subarray(start);
    if (this.rest.length > LARGEST_EVENT) {
      throw new RangeError(`An event has more than ${LARGEST_EVENT} bytes.`);
    }
    return events;
  }
}

/** The position after the first empty line: two ends of lines, of which each is `\n`, `\r\n` or `\r`. -1: there is none. */
function endOfEvent(bytes: Buffer, from: number): number {
  for (let index = from; index < bytes.length; index++) {
    const next = afterLineEnd(bytes, index);
    const end = next === -1 ? -1 : afterLineEnd(bytes, next);
    if (end !== -1) {
      return end;
    }
  }
  return -1;
}

/** The position after the end of a line at this position. -1: there is none. */
function afterLineEnd(bytes: Buffer, index: number): number {
  if (bytes[index] === CARRIAGE_RETURN) {
    return bytes[index + 1] === LINE_FEED ? index + 2 : index + 1;
  }
  return bytes[index] === LINE_FEED ? index + 1 : -1;
}
