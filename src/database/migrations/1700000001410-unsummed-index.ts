import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * On SQLite the index of what waits for the sums holds only that. Once somebody has run ANALYZE, SQLite takes a mark that
 * nearly all rows have in common for a poor one, and reads the whole ledger instead. MySQL looks into the index itself.
 */
export class UnsummedIndex1700000001410 implements MigrationInterface {
  readonly name = 'UnsummedIndex1700000001410';

  up(queryRunner: QueryRunner): Promise<void> {
    return remake(queryRunner, 'WHERE unsummed = 1');
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return remake(queryRunner, '');
  }
}

async function remake(queryRunner: QueryRunner, condition: string): Promise<void> {
  if (queryRunner.dataSource.driver.options.type === 'better-sqlite3') {
    await queryRunner.query('DROP INDEX ix_usage_entries_unsummed');
    await queryRunner.query(
      `CREATE INDEX ix_usage_entries_unsummed ON usage_entries (unsummed, user_id) ${condition}`.trim(),
    );
  }
}
