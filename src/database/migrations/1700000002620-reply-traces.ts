import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

const TABLES = ['chat_messages', 'generations'];

/** Which models were asked for a reply, and how; and why replies failed, for as long as administrators look for it. */
export class ReplyTraces1700000002620 implements MigrationInterface {
  readonly name = 'ReplyTraces1700000002620';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    const { type } = column.longText('trace');
    for (const table of TABLES) {
      // Not `addColumn`, which copies the whole table on SQLite: these need only the schema.
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN trace ${type} NULL`);
    }
    await queryRunner.createTable(
      new Table({
        name: 'failed_replies',
        columns: [
          column.id(),
          column.integer('message_id'),
          column.integer('user_id'),
          column.integer('agent_id'),
          column.integer('chat_id'),
          column.integer('api_key_id', { isNullable }),
          column.text('provider', 64, { isNullable }),
          column.text('model', 191, { isNullable }),
          column.text('code', 64),
          column.integer('provider_status', { isNullable }),
          column.text('provider_message', 500, { isNullable }),
          column.timestamp('failed_at'),
        ],
        indices: [
          { name: 'ix_failed_replies_user_id', columnNames: ['user_id'] },
          { name: 'ix_failed_replies_failed_at', columnNames: ['failed_at'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('failed_replies');
    for (const table of TABLES) {
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN trace`);
    }
  }
}
