import { MigrationInterface, QueryRunner } from 'typeorm';

/** What a request may cost is held by one row instead of one for each window. Rows that are there are read as before. */
export class OneHold1700000002680 implements MigrationInterface {
  readonly name = 'OneHold1700000002680';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    const isSqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
    const type = isSqlite ? 'text' : 'mediumtext';
    await queryRunner.query(`ALTER TABLE budget_holds ADD COLUMN other_window_ids ${type} NULL`);
    await queryRunner.query(`DROP INDEX ix_budget_holds_window_id${isSqlite ? '' : ' ON budget_holds'}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX ix_budget_holds_window_id ON budget_holds (window_id)');
    await queryRunner.query('ALTER TABLE budget_holds DROP COLUMN other_window_ids');
  }
}
