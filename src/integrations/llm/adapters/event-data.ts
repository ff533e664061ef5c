import { isObject, type JsonObject } from './json-object';

/** The mark after the last event. Some servers quote it, put blanks around it, or leave out its brackets. */
const END_MARK = /^["']?(?:\[DONE\]|DONE)["']?$/i;

const OPENING_BRACE = 0x7b;

/** The JSON object that is the data of an event; null: it is something else. */
export function objectIn(data: string): JsonObject | null {
  // Nearly all events begin so. A failed parse would cost more than all the rest.
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
