import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Accounts that the directory of an identity provider has suspended. */
export class Suspensions1700000002451 implements MigrationInterface {
  readonly name = 'Suspensions1700000002451';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { type, precision } = migrationColumns(queryRunner).timestamp('suspended_at');
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    await queryRunner.query(`ALTER TABLE users ADD COLUMN suspended_at ${type}(${precision}) NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE users DROP COLUMN suspended_at');
  }
}
