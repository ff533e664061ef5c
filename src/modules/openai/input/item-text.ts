import * as v from 'valibot';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { LONGEST_TEXT } from '../../../common/http/body/json-scan';
import { countCharacters } from '../../../common/validation/fields';
import { maxCharacters } from '../../../common/validation/schemas/max-characters';

export { LONGEST_TEXT };

/** The maximum length of a model or agent name. */
export const LONGEST_MODEL = 256;

/** The maximum length of a tool or item type. Unknown types are not stored. */
const LONGEST_TYPE = 512;

/** The maximum length of an ID in a request. IDs of other services are longer than those of this one. */
const LONGEST_ID = 256;

/** The length of a data URL with a file of 10 MiB in base64 with line breaks. */
const LONGEST_FILE = 15_000_000;

/** The maximum accepted length of a file name; its start is stored. */
const LONGEST_FILE_NAME = 1_000;

/** A text that is stored or sent to a model. */
export const itemText = v.pipe(v.string(), maxCharacters(LONGEST_TEXT));

export const typeText = v.pipe(v.string(), v.maxLength(LONGEST_TYPE));

/** The ID of a stored object: a response, a conversation, an uploaded file. */
export const idText = v.pipe(v.string(), v.maxLength(LONGEST_ID));

/** A data URL, plain base64, or a URL. */
export const fileText = v.pipe(v.string(), v.maxLength(LONGEST_FILE));

export const fileName = v.pipe(v.string(), v.maxLength(LONGEST_FILE_NAME));

/** The maximum number of parts of a message, and of function calls. */
export const MOST_ITEM_PARTS = 2_000;

/** A text or a list of parts. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- the type is longer than the function
export function textOr<const Part extends v.GenericSchema>(part: Part) {
  return v.union([itemText, v.pipe(v.array(part), v.maxLength(MOST_ITEM_PARTS))]);
}

/**
 * Limits the total text of one item's parts to the length of a single text.
 *
 * @param field the path of the parts, such as `messages[0].content`
 * @throws InvalidParameterError
 */
export function refuseLongParts(content: unknown, field: string): void {
  const parts: readonly object[] = Array.isArray(content) ? content : [];
  const texts = parts.map(textOf);
  const units = texts.reduce((sum, { length }) => sum + length, 0);
  // A character has one or two code units, so the slow count is rarely needed.
  if (units > LONGEST_TEXT && texts.reduce((sum, text) => sum + countCharacters(text), 0) > LONGEST_TEXT) {
    throw new InvalidParameterError([{ field, reason: 'too_long', values: { maximum: LONGEST_TEXT } }]);
  }
}

/**
 * Limits values that are stored as JSON, such as the functions of a request, to the length of a single text.
 *
 * @throws InvalidParameterError
 */
export function refuseLongJson(value: unknown, field: string): void {
  if (JSON.stringify(value ?? null).length > LONGEST_TEXT) {
    throw new InvalidParameterError([{ field, reason: 'too_long', values: { maximum: LONGEST_TEXT } }]);
  }
}

function textOf(part: object): string {
  const text = 'text' in part ? part.text : 'refusal' in part ? part.refusal : '';
  return typeof text === 'string' ? text : '';
}
