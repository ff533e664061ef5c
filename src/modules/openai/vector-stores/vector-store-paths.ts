import { objectIdParameter } from '../object-ids';

/** Paths after the prefix of the API. */
export const STORES = 'vector_stores';
export const ENTRIES = `${STORES}/{vector_store_id}/files`;
export const BATCHES = `${STORES}/{vector_store_id}/file_batches`;

/** Path parameters in the OpenAPI document. */
export const STORE_ID = objectIdParameter('vector_store_id', 'store', 'vector store');
export const ENTRY_ID = objectIdParameter('file_id', 'file', 'file');
export const BATCH_ID = objectIdParameter('batch_id', 'batch', 'batch');
