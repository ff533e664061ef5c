import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

const COUNTER = { default: 0 };

/** What was used with each API key, and which key an administrator acted with. */
export class KeyUsage1700000001510 implements MigrationInterface {
  readonly name = 'KeyUsage1700000001510';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'usage_key_days',
        columns: [
          { ...column.integer('day'), isPrimary: true },
          { ...column.integer('user_id'), isPrimary: true },
          { ...column.integer('api_key_id'), isPrimary: true },
          column.integer('chats', COUNTER),
          column.integer('messages', COUNTER),
          column.integer('user_messages', COUNTER),
          column.bigInteger('prompt_tokens', COUNTER),
          column.bigInteger('completion_tokens', COUNTER),
          column.bigInteger('tokens', COUNTER),
          column.integer('failed_replies', COUNTER),
        ],
        indices: [{ name: 'ix_usage_key_days_api_key_id', columnNames: ['api_key_id', 'day'] }],
      }),
    );
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    await queryRunner.query('ALTER TABLE audit_logs ADD COLUMN api_key_id integer NULL');
    await queryRunner.query('CREATE INDEX ix_audit_logs_api_key_id ON audit_logs (api_key_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const isMysql = queryRunner.dataSource.driver.options.type !== 'better-sqlite3';
    await queryRunner.query(`DROP INDEX ix_audit_logs_api_key_id${isMysql ? ' ON audit_logs' : ''}`);
    await queryRunner.query('ALTER TABLE audit_logs DROP COLUMN api_key_id');
    await queryRunner.dropTable('usage_key_days');
  }
}
