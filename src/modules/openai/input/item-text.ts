import * as v from 'valibot';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { LONGEST_TEXT } from '../../../common/validation/json-scan';

export { LONGEST_TEXT };

/** The longest name of a model or an agent. */
export const LONGEST_MODEL = 256;

/** A text that is kept or told to a model. */
export const itemText = v.pipe(v.string(), v.maxLength(LONGEST_TEXT));

/**
 * The parts of one item may not have more text together than one text may have.
 *
 * @param field where the parts stand, as `messages[0].content`
 * @throws InvalidParameterError
 */
export function refuseLongParts(content: unknown, field: string): void {
  const parts: readonly object[] = Array.isArray(content) ? content : [];
  const length = parts.reduce((sum, part) => sum + textLength(part), 0);
  if (length > LONGEST_TEXT) {
    throw new InvalidParameterError([{ field, reason: 'too_long', values: { maximum: LONGEST_TEXT } }]);
  }
}

/** What is kept as JSON, such as the functions of a request, may not be longer than one text. @throws InvalidParameterError */
export function refuseLongJson(value: unknown, field: string): void {
  if (JSON.stringify(value ?? null).length > LONGEST_TEXT) {
    throw new InvalidParameterError([{ field, reason: 'too_long', values: { maximum: LONGEST_TEXT } }]);
  }
}

function textLength(part: object): number {
  const text = 'text' in part ? part.text : 'refusal' in part ? part.refusal : '';
  return typeof text === 'string' ? text.length : 0;
}
