import * as v from 'valibot';
import { described } from '../../../common/validation/schemas/described';
import { maxCharacters } from '../../../common/validation/schemas/max-characters';
import { LONGEST_MODEL } from '../input/item-text';

/** Inputs of one request. */
const MOST_INPUTS = 2_048;
/** Tokens of one input, more than any model accepts. */
const MOST_TOKENS = 65_536;
const LONGEST_USER = 512;
const MOST_DIMENSIONS = 65_536;

const text = v.pipe(v.string(), v.minLength(1));
const token = v.pipe(v.number(), v.integer(), v.minValue(0));
const tokens = v.pipe(v.array(token), v.minLength(1), v.maxLength(MOST_TOKENS));

/** The body of POST /embeddings. Other parameters are ignored. */
export const embeddingRequest = v.object({
  model: described(
    v.pipe(v.string(), v.minLength(1), maxCharacters(LONGEST_MODEL)),
    'The configured embedding model, with or without its provider: `provider/model`.',
    'text-embedding-3-small',
  ),
  input: described(
    v.union([
      text,
      v.pipe(v.array(text), v.minLength(1), v.maxLength(MOST_INPUTS)),
      tokens,
      v.pipe(v.array(tokens), v.minLength(1), v.maxLength(MOST_INPUTS)),
    ]),
    'A text, texts, tokens of the model, or arrays of tokens.',
    'The sea is warm in May.',
  ),
  dimensions: described(
    v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_DIMENSIONS))),
    'Length of the vectors, for models that offer several.',
    512,
  ),
  encoding_format: described(
    v.nullish(v.picklist(['float', 'base64'])),
    '`base64`: 32-bit floating-point numbers, little-endian.',
    'float',
  ),
  user: described(v.nullish(v.pipe(v.string(), maxCharacters(LONGEST_USER))), 'Passed on to the provider.', 'user-7'),
});

export type EmbeddingBody = v.InferOutput<typeof embeddingRequest>;
