import * as v from 'valibot';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { LONGEST_TEXT } from '../../../common/http/body/json-scan';
import { countCharacters } from '../../../common/validation/fields';
import { maxCharacters } from '../../../common/validation/schemas/max-characters';

export { LONGEST_TEXT };

/** The longest name of a model or an agent. */
export const LONGEST_MODEL = 256;

/** The longest type of a tool or an item. Nothing of those is kept that this service does not know. */
const LONGEST_TYPE = 512;

/** The longest id of something that a request names. Ids of other services are longer than those of this one. */
const LONGEST_ID = 256;

/** A file of 10 MiB in base64, in lines, with what stands before it. */
const LONGEST_FILE = 15_000_000;

/** Of a longer name the beginning is kept. */
const LONGEST_FILE_NAME = 1_000;

/** A text that is kept or told to a model. */
export const itemText = v.pipe(v.string(), maxCharacters(LONGEST_TEXT));

export const typeText = v.pipe(v.string(), v.maxLength(LONGEST_TYPE));

/** Names what is here already: a response, a conversation, an uploaded file. */
export const idText = v.pipe(v.string(), v.maxLength(LONGEST_ID));

/** A data URL, base64 alone, or an address. */
export const fileText = v.pipe(v.string(), v.maxLength(LONGEST_FILE));

export const fileName = v.pipe(v.string(), v.maxLength(LONGEST_FILE_NAME));

/** Most parts of one message, and most calls of functions. */
export const MOST_PARTS = 2_000;

/** What is said: a text, or a list of parts. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- the type is longer than the function
export function textOr<const Part extends v.GenericSchema>(part: Part) {
  return v.union([itemText, v.pipe(v.array(part), v.maxLength(MOST_PARTS))]);
}

/**
 * The parts of one item may not have more text together than one text may have.
 *
 * @param field where the parts stand, as `messages[0].content`
 * @throws InvalidParameterError
 */
export function refuseLongParts(content: unknown, field: string): void {
  const parts: readonly object[] = Array.isArray(content) ? content : [];
  const texts = parts.map(textOf);
  const units = texts.reduce((sum, { length }) => sum + length, 0);
  // A character has one or two units, so mostly these decide alone.
  if (units > LONGEST_TEXT && texts.reduce((sum, text) => sum + countCharacters(text), 0) > LONGEST_TEXT) {
    throw new InvalidParameterError([{ field, reason: 'too_long', values: { maximum: LONGEST_TEXT } }]);
  }
}

/** What is kept as JSON, such as the functions of a request, may not be longer than one text. @throws InvalidParameterError */
export function refuseLongJson(value: unknown, field: string): void {
  if (JSON.stringify(value ?? null).length > LONGEST_TEXT) {
    throw new InvalidParameterError([{ field, reason: 'too_long', values: { maximum: LONGEST_TEXT } }]);
  }
}

function textOf(part: object): string {
  const text = 'text' in part ? part.text : 'refusal' in part ? part.refusal : '';
  return typeof text === 'string' ? text : '';
}
