import { isObject, type JsonObject } from './json-object';

/** The mark after the last event. Some servers quote it, surround it by blanks, or omit its brackets. */
const END_MARK = /^["']?(?:\[DONE\]|DONE)["']?$/i;

const OPENING_BRACE = 0x7b;

/** The JSON object in the data of an event; null for other data. */
export function parseObject(data: string): JsonObject | null {
  // Nearly all events begin with a brace. A failed parse would cost more than everything else.
  const text = data.charCodeAt(0) === OPENING_BRACE ? data : data.replace(/^(?:\s|data:)+/, '');
  if (text.charCodeAt(0) !== OPENING_BRACE) {
    return null;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isEndMark(data: string): boolean {
  return END_MARK.test(data.trim());
}
