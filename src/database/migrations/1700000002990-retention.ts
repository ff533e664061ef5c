import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Policies by which data is deleted, the sweeps that do it, and the indexes by which they find what is due. */
export class Retention1700000002990 implements MigrationInterface {
  readonly name = 'Retention1700000002990';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createTables(queryRunner);
    const isSqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
    await queryRunner.query('CREATE INDEX ix_chats_last_message_at ON chats (last_message_at, created_at)');
    await queryRunner.query(
      `CREATE INDEX ix_chat_messages_traced ON chat_messages (completed_at)${isSqlite ? ' WHERE trace IS NOT NULL' : ''}`,
    );
    await queryRunner.query('CREATE INDEX ix_knowledge_files_created_at ON knowledge_files (created_at)');
    await queryRunner.query('CREATE INDEX ix_webhook_events_occurred_at ON webhook_events (occurred_at)');
    await queryRunner.query('CREATE INDEX ix_usage_entries_created_at ON usage_entries (created_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const isSqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
    for (const [name, table] of [
      ['ix_usage_entries_created_at', 'usage_entries'],
      ['ix_webhook_events_occurred_at', 'webhook_events'],
      ['ix_knowledge_files_created_at', 'knowledge_files'],
      ['ix_chat_messages_traced', 'chat_messages'],
      ['ix_chats_last_message_at', 'chats'],
    ]) {
      await queryRunner.query(`DROP INDEX ${name}${isSqlite ? '' : ` ON ${table}`}`);
    }
    for (const table of ['retention_sweeps', 'retention_leavers', 'retention_policies']) {
      await queryRunner.dropTable(table);
    }
  }
}

async function createTables(queryRunner: QueryRunner): Promise<void> {
  const column = migrationColumns(queryRunner);
  const isNullable = true;
  await queryRunner.createTable(
    new Table({
      name: 'retention_policies',
      columns: [
        column.id(),
        column.text('scope', 16),
        column.integer('scope_id', { isNullable }),
        column.text('kind', 16),
        column.text('slot', 40, { isNullable }),
        column.integer('days', { isNullable }),
        column.timestamp('effective_at'),
        column.boolean('has_former'),
        column.integer('former_days', { isNullable }),
        column.text('note', 500, { isNullable }),
        column.timestamp('created_at'),
        column.timestamp('updated_at'),
        column.timestamp('ended_at', { isNullable }),
      ],
      indices: [{ name: 'uq_retention_policies_slot', columnNames: ['slot'], isUnique: true }],
    }),
  );
  await queryRunner.createTable(
    new Table({
      name: 'retention_leavers',
      columns: [column.id(), column.integer('user_id'), column.integer('group_id'), column.timestamp('left_at')],
      indices: [
        { name: 'ix_retention_leavers_user_id', columnNames: ['user_id', 'group_id', 'left_at'] },
        { name: 'ix_retention_leavers_left_at', columnNames: ['left_at'] },
      ],
    }),
  );
  await queryRunner.createTable(
    new Table({
      name: 'retention_sweeps',
      columns: [
        column.id(),
        column.text('started_by', 16),
        column.text('status', 16),
        column.integer('slot', { isNullable }),
        column.integer('actor_id', { isNullable }),
        column.text('instance_id', 36),
        column.longText('deleted'),
        column.longText('held'),
        column.longText('policy_ids'),
        column.timestamp('started_at'),
        column.timestamp('seen_at'),
        column.timestamp('ended_at', { isNullable }),
      ],
      indices: [
        { name: 'uq_retention_sweeps_slot', columnNames: ['slot'], isUnique: true },
        { name: 'ix_retention_sweeps_started_at', columnNames: ['started_at'] },
      ],
    }),
  );
}
