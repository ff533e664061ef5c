import * as v from 'valibot';
import { described } from '../../common/validation/schemas/described';
import { dictionary } from '../../common/validation/schemas/dictionary';
import { maxCharacters } from '../../common/validation/schemas/max-characters';

const LONGEST_KEY = 64;

/** A client's metadata for an object: up to 16 pairs, with keys of up to 64 and values of up to 512 characters. */
export const metadata = described(
  v.pipe(
    dictionary(v.pipe(v.string(), maxCharacters(LONGEST_KEY)), v.pipe(v.string(), maxCharacters(512))),
    v.maxEntries(16),
    v.metadata({ propertyNames: { maxLength: LONGEST_KEY } }),
  ),
  'Key-value pairs of the client, at most 16.',
);
