import type { FieldFault } from '../errors/validation.errors';

/** Deepest nesting of a body; deeper ones serve nobody but attackers. */
const DEEPEST = 32;

/** Most values in a body, those within lists and objects included: copying and checking each takes about a microsecond. */
const MOST_VALUES = 20_000;

/** Where a route reads more than others, values may be as many as there is room for such of this size, in bytes. */
const BYTES_OF_A_VALUE = 50;

/** Most members of an object: parsing many takes long, and class-transformer compares the name of each with all others. */
const MOST_MEMBERS = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** An object or list that the scan is in. */
interface Level {
  isObject: boolean;
  /** Members or items so far, the present one included. */
  size: number;
  /** Where the name of the present member begins. */
  nameAt: number;
}

/**
 * Finds more nesting, members or values than the service has time for in JSON that has not been parsed: a look at each
 * byte costs a fraction of parsing. Null when all is well; whether it is JSON at all is not asked.
 *
 * @param limit bytes that there may be
 */
export function findExcess(json: Uint8Array, limit = 0): FieldFault | null {
  const mostValues = Math.max(MOST_VALUES, Math.floor(limit / BYTES_OF_A_VALUE));
  const levels: Level[] = [];
  let level: Level | undefined;
  let values = 0;
  let isNameNext = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index] ?? 0;
    switch (byte) {
      case QUOTE:
        if (level && isNameNext) {
          level.nameAt = index;
          isNameNext = false;
        }
        index = endOfText(json, index);
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        if (levels.length === DEEPEST) {
          return { field: 'body', reason: 'nested_too_deeply' };
        }
        level = { isObject: byte === OPEN_OBJECT, size: 1, nameAt: index };
        levels.push(level);
        values++;
        isNameNext = level.isObject;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        levels.pop();
        level = levels.at(-1);
        break;
      case COMMA:
        values++;
        if (level && ++level.size > MOST_MEMBERS && level.isObject) {
          return tooMany(pathOf(levels, json), MOST_MEMBERS);
        }
        isNameNext = level?.isObject ?? false;
        break;
    }
    if (values > mostValues) {
      return tooMany('body', mostValues);
    }
  }
  return null;
}

function tooMany(field: string, maximum: number): FieldFault {
  return { field, reason: 'too_many_items', values: { maximum } };
}

/** The name of the innermost level, from those of the members and items that it lies in. */
function pathOf(levels: Level[], json: Uint8Array): string {
  const names = levels.slice(0, -1).map(({ isObject, size, nameAt }) => {
    return isObject ? Buffer.from(json.subarray(nameAt + 1, endOfText(json, nameAt))).toString() : size - 1;
  });
  return names.length > 0 ? names.join('.') : 'body';
}

/** @param start the opening quote @returns the closing one, or the end of the JSON */
function endOfText(json: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== QUOTE) {
    index += json[index] === BACKSLASH ? 2 : 1;
  }
  return index;
}
