import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** A session keeps the ID token that began it, because the provider needs it to end its own session without a question. */
export class LogoutHints1700000002860 implements MigrationInterface {
  readonly name = 'LogoutHints1700000002860';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { type } = migrationColumns(queryRunner).longText('logout_hint');
    // Not `addColumn`, which copies the whole table on SQLite.
    await queryRunner.query(`ALTER TABLE sessions ADD COLUMN logout_hint ${type} NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE sessions DROP COLUMN logout_hint');
  }
}
