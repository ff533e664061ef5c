import { MigrationInterface, QueryRunner } from 'typeorm';

/** The ledger keeps the plan and the groups that a request was charged to. Of earlier requests they are not known: null. */
export class ChargedGroups1700000002851 implements MigrationInterface {
  readonly name = 'ChargedGroups1700000002851';

  async up(queryRunner: QueryRunner): Promise<void> {
    const isSqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query('ALTER TABLE usage_costs ADD COLUMN plan varchar(16) NULL');
    await queryRunner.query(`ALTER TABLE usage_costs ADD COLUMN group_ids ${isSqlite ? 'text' : 'mediumtext'} NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE usage_costs DROP COLUMN group_ids');
    await queryRunner.query('ALTER TABLE usage_costs DROP COLUMN plan');
  }
}
