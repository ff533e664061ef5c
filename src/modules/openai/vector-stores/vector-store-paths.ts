import { objectIdParameter } from '../object-ids';

/** Paths after the prefix of the API. */
export const STORES = 'vector_stores';
export const ENTRIES = `${STORES}/{vector_store_id}/files`;
export const BATCHES = `${STORES}/{vector_store_id}/file_batches`;

/** Path parameters in the OpenAPI document. */
export const STORE_ID = objectIdParameter('vector_store_id', 'store', 'Id of the vector store.');
export const ENTRY_ID = objectIdParameter('file_id', 'file', 'Id of the file.');
export const BATCH_ID = objectIdParameter('batch_id', 'batch', 'Id of the batch.');
