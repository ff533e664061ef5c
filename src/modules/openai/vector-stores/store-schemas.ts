import * as v from 'valibot';
import { described } from '../../../common/validation/schemas/described';
import { maxCharacters } from '../../../common/validation/schemas/max-characters';
import { attributes, chunkingStrategy, type EntryWishes, strategyOf } from '../../knowledge/knowledge.api';
import { metadata } from '../metadata-schema';
import { sentFileId } from '../object-ids';

const MOST_FIRST_FILES = 1_000;
const MOST_BATCH_FILES = 2_000;

const name = v.pipe(v.string(), maxCharacters(256));
const description = v.pipe(v.string(), maxCharacters(1_000));
const expiry = v.object({
  anchor: v.literal('last_active_at'),
  days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(365)),
});

const eachOnce = v.check((ids: string[]) => new Set(ids).size === ids.length, 'duplicate');

const isSent = (value: unknown): boolean => value !== undefined && value !== null;

const storeFields = v.object({
  name: described(v.nullish(name), 'The name.', 'Handbooks'),
  description: described(v.nullish(description), 'What the files are about.', 'Manuals of our products'),
  metadata: v.nullish(metadata),
  expires_after: described(v.nullish(expiry), 'The store expires after so many days without a search or a change.', {
    anchor: 'last_active_at',
    days: 30,
  }),
});

/** The body of `POST /vector_stores`. */
export const newStore = v.object({
  ...storeFields.entries,
  file_ids: described(
    v.nullish(v.pipe(v.array(sentFileId), v.maxLength(MOST_FIRST_FILES), eachOnce)),
    'Your files to attach, up to 1,000.',
    ['file-7'],
  ),
  chunking_strategy: v.nullish(chunkingStrategy),
});

/** The body of `POST /vector_stores/{id}`. Absent members stay unchanged. */
export const storeUpdate = storeFields;

const wishes = { attributes: v.nullish(attributes), chunking_strategy: v.nullish(chunkingStrategy) };

/** A file to attach. */
export const attachedFile = v.object({ file_id: sentFileId, ...wishes });

/** The body of `POST /vector_stores/{id}/files/{file_id}`. */
export const entryUpdate = v.object({ attributes: v.nullable(attributes) });

/** The body of `POST /vector_stores/{id}/file_batches`. */
export const newBatch = v.pipe(
  v.object({
    file_ids: described(
      v.nullish(v.pipe(v.array(sentFileId), v.minLength(1), v.maxLength(MOST_BATCH_FILES), eachOnce)),
      'Your files, up to 2,000.',
      ['file-7', 'file-8'],
    ),
    files: described(
      v.nullish(
        v.pipe(
          v.array(attachedFile),
          v.minLength(1),
          v.maxLength(MOST_BATCH_FILES),
          v.check((files) => new Set(files.map(({ file_id }) => file_id)).size === files.length, 'duplicate'),
        ),
      ),
      'Your files with their own attributes and strategies, instead of `file_ids`. Other members are ignored then.',
      [{ file_id: 'file-7', attributes: { product: 'console' } }],
    ),
    ...wishes,
  }),
  v.forward(
    v.check(({ file_ids, files }) => !isSent(file_ids) || !isSent(files), 'conflicts'),
    ['files'],
  ),
);

export type NewStoreBody = v.InferOutput<typeof newStore>;
export type StoreUpdateBody = v.InferOutput<typeof storeUpdate>;
export type AttachedFileBody = v.InferOutput<typeof attachedFile>;
export type EntryUpdateBody = v.InferOutput<typeof entryUpdate>;
export type NewBatchBody = v.InferOutput<typeof newBatch>;

/** Null is like absent. */
export function toEntryWishes({
  attributes: values,
  chunking_strategy: strategy,
}: Pick<AttachedFileBody, 'attributes' | 'chunking_strategy'>): EntryWishes {
  return { ...(values && { attributes: values }), ...(strategy && { strategy: strategyOf(strategy) }) };
}
