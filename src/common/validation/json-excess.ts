import type { FieldFault } from '../errors/validation.errors';

/** Deepest nesting of a body; only attackers need more. */
const DEEPEST = 32;

/** Most values in a body, including those in lists and objects. To copy and check a value takes about a microsecond. */
const MOST_VALUES = 20_000;

/** The same where a route reads bodies with whole conversations and files. */
const MOST_VALUES_OF_LARGE_BODIES = 50_000;

/** Larger bodies are large, in bytes. */
const LARGE = 2 * 1_048_576;

/**
 * Most members of an object. Many members take long to parse, and class-transformer compares each name with all others.
 */
const MOST_MEMBERS = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** An object or list that contains the current position of the scan. */
interface Level {
  isObject: boolean;
  /** Members or items so far, including the current one. */
  size: number;
  /** Position at which the name of the current member begins. */
  nameAt: number;
}

/**
 * Finds too much nesting, too many members or too many values in JSON before it is parsed. The scan costs only a
 * fraction of the parsing. Null when there is no fault. It does not check whether the text is valid JSON.
 *
 * @param limit most bytes that the body may have
 */
export function findExcess(json: Uint8Array, limit = 0): FieldFault | null {
  const mostValues = limit > LARGE ? MOST_VALUES_OF_LARGE_BODIES : MOST_VALUES;
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

/** The path of the innermost level, made of the names of the levels around it. */
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
