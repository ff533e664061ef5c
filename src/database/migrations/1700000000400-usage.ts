import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Plans, the ledger of stored messages, and the counters kept with it. */
export class Usage1700000000400 implements MigrationInterface {
  readonly name = 'Usage1700000000400';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const zero = { default: 0 };
    const sums = [
      column.integer('chats', zero),
      column.integer('messages', zero),
      column.integer('user_messages', zero),
      column.bigInteger('prompt_tokens', zero),
      column.bigInteger('completion_tokens', zero),
      column.bigInteger('tokens', zero),
      column.integer('failed_replies', zero),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'plans',
        columns: [
          { ...column.text('membership_type', 16), isPrimary: true },
          column.integer('messages_per_day', { isNullable: true }),
          column.bigInteger('tokens_per_day', { isNullable: true }),
          column.timestamp('updated_at'),
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'usage_entries',
        columns: [
          { ...column.integer('message_id'), isPrimary: true },
          column.integer('user_id'),
          column.integer('chat_id'),
          column.integer('agent_id'),
          column.text('role', 16),
          column.text('model', 191, { isNullable: true }),
          column.integer('prompt_tokens'),
          column.integer('completion_tokens'),
          column.integer('tokens'),
          column.text('status', 16, { isNullable: true }),
          column.integer('first_token_ms', { isNullable: true }),
          column.integer('day'),
          column.timestamp('created_at'),
        ],
        indices: [{ name: 'ix_usage_entries_user_id', columnNames: ['user_id'] }],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'usage_accounts',
        columns: [
          { ...column.integer('user_id'), isPrimary: true },
          column.integer('total_chats', zero),
          column.bigInteger('total_messages', zero),
          column.bigInteger('total_tokens', zero),
          column.integer('day', zero),
          column.integer('day_messages', zero),
          column.bigInteger('day_tokens', zero),
          column.integer('messages_alert_day', zero),
          column.integer('tokens_alert_day', zero),
        ],
        indices: [{ name: 'ix_usage_accounts_day', columnNames: ['day'] }],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'usage_rollups',
        columns: [
          { ...column.integer('day'), isPrimary: true },
          { ...column.integer('user_id'), isPrimary: true },
          { ...column.integer('agent_id'), isPrimary: true },
          { ...column.text('model', 191), isPrimary: true },
          ...sums,
        ],
        indices: [{ name: 'ix_usage_rollups_user_id', columnNames: ['user_id', 'day'] }],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'usage_closed_days',
        columns: [
          { ...column.integer('day'), isPrimary: true },
          { ...column.integer('agent_id'), isPrimary: true },
          { ...column.text('model', 191), isPrimary: true },
          ...sums,
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'usage_user_months',
        columns: [
          { ...column.integer('month'), isPrimary: true },
          { ...column.integer('user_id'), isPrimary: true },
          ...sums,
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [
      'usage_user_months',
      'usage_closed_days',
      'usage_rollups',
      'usage_accounts',
      'usage_entries',
      'plans',
    ]) {
      await queryRunner.dropTable(table);
    }
  }
}
