import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Sessions keep what the provider of the identity signed, where a server of tools takes such. */
export class SessionAssertions1700000002760 implements MigrationInterface {
  readonly name = 'SessionAssertions1700000002760';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { type } = migrationColumns(queryRunner).longText('assertion');
    // Not `addColumn`, which copies the whole table on SQLite: these need only the schema.
    await queryRunner.query(`ALTER TABLE sessions ADD COLUMN assertion ${type} NULL`);
    await queryRunner.query('ALTER TABLE sessions ADD COLUMN assertion_ends_at datetime(3) NULL');
    await queryRunner.query('CREATE INDEX ix_sessions_assertion_ends_at ON sessions (assertion_ends_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const isMysql = queryRunner.dataSource.driver.options.type !== 'better-sqlite3';
    await queryRunner.query(`DROP INDEX ix_sessions_assertion_ends_at${isMysql ? ' ON sessions' : ''}`);
    await queryRunner.query('ALTER TABLE sessions DROP COLUMN assertion_ends_at');
    await queryRunner.query('ALTER TABLE sessions DROP COLUMN assertion');
  }
}
