import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** The tables of sums, which get the sums of costs. */
const SUMS = ['usage_rollups', 'usage_closed_days', 'usage_user_months', 'usage_key_days'];

const COST_SUMS = ['priced', 'unpriced', 'cost_units', 'cost_micros', 'cost_picos'];

/** What each request to a model cost, and the sums of that. */
export class Costs1700000002471 implements MigrationInterface {
  readonly name = 'Costs1700000002471';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    const isMysql = queryRunner.dataSource.driver.options.type !== 'better-sqlite3';
    await queryRunner.createTable(
      new Table({
        name: 'usage_costs',
        columns: [
          column.id(),
          column.integer('user_id'),
          column.integer('api_key_id', { isNullable }),
          column.integer('chat_id'),
          column.integer('agent_id'),
          column.integer('message_id', { isNullable }),
          column.integer('round'),
          column.integer('attempt'),
          column.text('kind', 16),
          column.text('provider', 64),
          column.text('model', 191),
          column.text('model_answered', 191, { isNullable }),
          column.integer('prompt_tokens'),
          column.integer('completion_tokens'),
          column.integer('cached_tokens'),
          column.integer('cache_write_tokens'),
          column.integer('reasoning_tokens'),
          column.integer('images'),
          column.integer('requests'),
          column.boolean('is_counted'),
          column.boolean('is_failed'),
          column.boolean('is_estimated'),
          column.integer('price_id', { isNullable }),
          column.bigInteger('cost_units', { isNullable }),
          column.bigInteger('cost_micros', { isNullable }),
          column.bigInteger('cost_picos', { isNullable }),
          column.integer('day'),
          column.timestamp('asked_at'),
          column.timestamp('created_at'),
          column.integer('unsummed', { isNullable }),
        ],
        indices: [
          { name: 'ix_usage_costs_user_id', columnNames: ['user_id'] },
          { name: 'ix_usage_costs_created_at', columnNames: ['created_at'] },
          {
            name: 'ix_usage_costs_unsummed',
            columnNames: ['unsummed', 'user_id'],
            ...(!isMysql && { where: 'unsummed = 1' }),
          },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'usage_provider_days',
        columns: [
          { ...column.integer('day'), isPrimary: true },
          { ...column.integer('user_id'), isPrimary: true },
          { ...column.text('provider', 64), isPrimary: true },
          { ...column.text('model', 191), isPrimary: true },
          ...['chats', 'messages', 'user_messages', 'failed_replies'].map((name) =>
            column.integer(name, { default: 0 }),
          ),
          ...['prompt_tokens', 'completion_tokens', 'tokens', ...COST_SUMS].map((name) =>
            column.bigInteger(name, { default: 0 }),
          ),
        ],
        indices: [{ name: 'ix_usage_provider_days_user_id', columnNames: ['user_id', 'day'] }],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'missing_prices',
        columns: [
          { ...column.text('provider', 64), isPrimary: true },
          { ...column.text('model', 191), isPrimary: true },
          column.timestamp('created_at'),
        ],
      }),
    );
    for (const table of SUMS) {
      for (const sum of COST_SUMS) {
        // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
        await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${sum} bigint NOT NULL DEFAULT 0`);
      }
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of SUMS) {
      await queryRunner.dropColumns(table, COST_SUMS);
    }
    await queryRunner.dropTable('missing_prices');
    await queryRunner.dropTable('usage_provider_days');
    await queryRunner.dropTable('usage_costs');
  }
}
