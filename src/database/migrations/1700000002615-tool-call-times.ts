import { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the calls of a period, for what administrators see of each tool. */
export class ToolCallTimes1700000002615 implements MigrationInterface {
  readonly name = 'ToolCallTimes1700000002615';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX ix_tool_calls_created_at ON tool_calls (created_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const isSqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
    await queryRunner.query(`DROP INDEX ix_tool_calls_created_at${isSqlite ? '' : ' ON tool_calls'}`);
  }
}
