import type { QueryRunner } from 'typeorm';
import { isSqlite } from '../connection/dialect';

/**
 * On servers, commits what a migration has changed so far: until then it is locked for instances that still work, and all of it is
 * lost when the process ends. The migration may begin again behind it. On SQLite, where nobody else can be, a migration is one
 * transaction.
 */
export async function commitBatch(queryRunner: QueryRunner): Promise<void> {
  if (!isSqlite(queryRunner.manager)) {
    await queryRunner.commitTransaction();
    await queryRunner.startTransaction();
  }
}
