import { MigrationInterface, QueryRunner } from 'typeorm';

/** Titles and trials under way know how many requests were made for them before. */
export class LeftSideRequests1700000002730 implements MigrationInterface {
  readonly name = 'LeftSideRequests1700000002730';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    const type = queryRunner.dataSource.driver.options.type === 'better-sqlite3' ? 'integer' : 'int';
    await queryRunner.query(`ALTER TABLE side_requests ADD COLUMN failed_before ${type} NOT NULL DEFAULT 0`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE side_requests DROP COLUMN failed_before');
  }
}
