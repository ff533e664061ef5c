/** The database functions for modules outside the service, as `chat-service/database`. */
export {
  BigIntegerColumn,
  DeletedAtColumn,
  JsonColumn,
  LongBytesColumn,
  LongTextColumn,
  TimestampColumn,
} from './columns';
export { commandLineDataSource } from './command-line-data-source';
export { Database } from './database';
export { isUniqueViolation } from './database.errors';
export { migrationColumns } from './migration-columns';
export { deleteRows } from './statements/delete';
export { countRows, findPage, findRow, findRows, rowExists } from './statements/find';
export { insertEntity, insertRow, insertRows } from './statements/insert';
export { keysetBatches } from './statements/keyset-batches';
export { queryRows, RowQuery } from './statements/query';
export { updateRows } from './statements/update';
