import { MigrationInterface, QueryRunner } from 'typeorm';

/** A provider names the session to end by its own name alone, and looking for it must not read all sessions. */
export class SessionsOfProviders1700000002830 implements MigrationInterface {
  readonly name = 'SessionsOfProviders1700000002830';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX ix_sessions_provider_session ON sessions (provider_session)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const isMysql = queryRunner.dataSource.driver.options.type !== 'better-sqlite3';
    await queryRunner.query(`DROP INDEX ix_sessions_provider_session${isMysql ? ' ON sessions' : ''}`);
  }
}
