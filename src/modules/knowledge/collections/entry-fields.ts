import * as v from 'valibot';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { described } from '../../../common/validation/schemas/described';
import { dictionary } from '../../../common/validation/schemas/dictionary';
import { maxCharacters } from '../../../common/validation/schemas/max-characters';
import { schemaFault } from '../../../common/validation/schemas/schema.pipe';
import type { EntryAttributes } from '../tables/knowledge-entry.entity';

const MOST_ATTRIBUTES = 16;

/** How a text is cut into passages, in tokens. */
export interface CuttingStrategy {
  size: number;
  overlap: number;
}

/** The strategy if the client chooses none, and for `auto`. */
export const AUTOMATIC: CuttingStrategy = { size: 800, overlap: 400 };

const value = v.union([
  v.pipe(v.string(), maxCharacters(512)),
  v.pipe(v.number(), v.finite('wrong_type')),
  v.boolean(),
]);

/** Up to 16 attributes of an entry. */
export const attributes = described(
  v.pipe(
    dictionary(v.pipe(v.string(), v.minLength(1), maxCharacters(64)), value),
    v.maxEntries(MOST_ATTRIBUTES, 'too_many_items'),
  ),
  'Values by which searches can select the file: texts of up to 512 characters, numbers and booleans. Up to 16.',
  { department: 'sales', year: 2026 },
);

const sizes = v.pipe(
  v.object({
    max_chunk_size_tokens: described(
      v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(4_096)),
      'Tokens of a passage at most.',
      800,
    ),
    chunk_overlap_tokens: described(
      v.pipe(v.number(), v.integer(), v.minValue(0)),
      'Tokens that two neighbouring passages share, at most half of a passage.',
      400,
    ),
  }),
  v.forward(
    v.check(({ max_chunk_size_tokens: size, chunk_overlap_tokens: overlap }) => 2 * overlap <= size, 'out_of_range'),
    ['chunk_overlap_tokens'],
  ),
);

/** How the text is cut into passages. */
export const chunkingStrategy = described(
  v.variant('type', [
    v.object({ type: v.literal('auto') }),
    v.object({ type: v.literal('static'), static: described(sizes, 'The sizes.') }),
  ]),
  'How the text is cut into passages. `auto` is 800 tokens with an overlap of 400.',
  { type: 'auto' },
);

/** What a client may say about a file that it attaches. */
export const entryWishes = v.object({
  attributes: v.nullish(attributes),
  chunking_strategy: v.nullish(chunkingStrategy),
});

/** The body that attaches a file. */
export const attachFile = v.object({
  file_id: described(v.pipe(v.number(), v.integer(), v.minValue(1)), 'Id of one of your files.', 7),
  ...entryWishes.entries,
});

export const changeEntry = v.object({ attributes: v.nullable(attributes) });

export const retryEntry = v.object({
  embeddings: described(v.nullish(v.boolean()), 'Also requests the missing vectors again.', true),
});

/** Absent members were not sent. */
export interface EntryWishes {
  attributes?: EntryAttributes;
  strategy?: CuttingStrategy;
}

/** @throws ValidationFailedError for the first fault */
export function readBody<Output>(schema: v.GenericSchema<unknown, Output>, body: unknown): Output {
  const { success, output, issues } = v.safeParse(schema, body ?? {}, { abortEarly: true });
  if (!success) {
    throw new ValidationFailedError([schemaFault(issues[0])]);
  }
  return output;
}

/** The wishes in the fields of a form, where objects are JSON texts. @throws ValidationFailedError */
export function readForm(fields: Record<string, string>): EntryWishes {
  const parsed = Object.fromEntries(
    ['attributes', 'chunking_strategy'].flatMap((name) => {
      const text = fields[name];
      return text === undefined || text === '' ? [] : [[name, parseField(name, text)]];
    }),
  );
  return toWishes(readBody(entryWishes, parsed));
}

export function toWishes(wishes: v.InferOutput<typeof entryWishes>): EntryWishes {
  const { attributes: values, chunking_strategy: strategy } = wishes;
  return { ...(values && { attributes: values }), ...(strategy && { strategy: strategyOf(strategy) }) };
}

export function strategyOf(strategy: v.InferOutput<typeof chunkingStrategy>): CuttingStrategy {
  return strategy.type === 'auto'
    ? AUTOMATIC
    : { size: strategy.static.max_chunk_size_tokens, overlap: strategy.static.chunk_overlap_tokens };
}

function parseField(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw ValidationFailedError.of(name, 'invalid_format');
  }
}
