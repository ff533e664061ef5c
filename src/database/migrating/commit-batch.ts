import type { QueryRunner } from 'typeorm';
import { isSqlite } from '../connection/dialect';

/**
 * On servers, commits the changes of a migration so far. Until then they are locked for running instances, and are lost
 * if the process ends. The migration may start again after the commit. On SQLite a migration is one transaction,
 * because no other process uses the file.
 */
export async function commitBatch(queryRunner: QueryRunner): Promise<void> {
  if (!isSqlite(queryRunner.manager)) {
    await queryRunner.commitTransaction();
    await queryRunner.startTransaction();
  }
}
