import { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = [
  ['tool_calls', 'asked'],
  ['tool_actions', 'question'],
  ['tool_actions', 'answer'],
] as const;

/** Questions of servers of tools, what people answer until it is delivered, and how a call goes on with it. */
export class Questions1700000002700 implements MigrationInterface {
  readonly name = 'Questions1700000002700';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    const isSqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
    for (const [table, name] of COLUMNS) {
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${name} ${isSqlite ? 'text' : 'mediumtext'} NULL`);
    }
    await queryRunner.query('ALTER TABLE tool_actions ADD COLUMN answer_hash varchar(64) NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE tool_actions DROP COLUMN answer_hash');
    for (const [table, name] of COLUMNS) {
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${name}`);
    }
  }
}
