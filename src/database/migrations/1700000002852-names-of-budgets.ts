import { MigrationInterface, QueryRunner } from 'typeorm';

/** Budgets may have names. */
export class NamesOfBudgets1700000002852 implements MigrationInterface {
  readonly name = 'NamesOfBudgets1700000002852';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query('ALTER TABLE budgets ADD COLUMN name varchar(100) NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE budgets DROP COLUMN name');
  }
}
