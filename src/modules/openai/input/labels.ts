import * as v from 'valibot';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { isLonger } from '../../../common/validation/fields';
import { described } from '../../../common/validation/schemas/described';
import { maxCharacters } from '../../../common/validation/schemas/max-characters';

/** The maximum lengths, equal to OpenAI's, of labels with which a client distinguishes its users and prompts. */
const LONGEST = { user: 512, safety_identifier: 64, prompt_cache_key: 64 };

const label = (name: keyof typeof LONGEST, example: string): v.GenericSchema<unknown, string | null> =>
  described(
    v.nullish(v.pipe(v.string(), maxCharacters(LONGEST[name])), null),
    'Returned unchanged, otherwise ignored.',
    example,
  );

const ignored = described(v.nullish(v.unknown()), 'Ignored.');

/** For requests whose response repeats the labels. */
export const labels = {
  user: label('user', 'u-17'),
  safety_identifier: label('safety_identifier', 'u-17'),
  prompt_cache_key: label('prompt_cache_key', 'guide'),
};

/** For requests that ignore the labels. Open WebUI sends an object as `user`. */
export const ignoredLabels = { user: ignored, safety_identifier: ignored, prompt_cache_key: ignored };

/** @throws InvalidParameterError for a label that is too long, even if it is ignored */
export function refuseLongLabels(body: Partial<Record<keyof typeof LONGEST, unknown>>): void {
  for (const [field, maximum] of Object.entries(LONGEST)) {
    const value = body[field as keyof typeof LONGEST];
    if (isLonger(value, maximum)) {
      throw new InvalidParameterError([{ field, reason: 'too_long', values: { maximum } }]);
    }
  }
}
