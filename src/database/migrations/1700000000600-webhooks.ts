import { MigrationInterface, QueryRunner, Table, TableColumnOptions, TableForeignKeyOptions } from 'typeorm';
import { MigrationColumns, migrationColumns } from '../migration-columns';

/** Endpoints, the outbox of events, their deliveries and the log of attempts. */
export class Webhooks1700000000600 implements MigrationInterface {
  name = 'Webhooks1700000000600';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'webhook_endpoints',
        columns: endpointColumns(column),
        indices: [
          { name: 'ix_webhook_endpoints_due', columnNames: ['is_active', 'next_due_at'] },
          { name: 'ix_webhook_endpoints_scope', columnNames: ['scope'] },
          { name: 'uq_webhook_endpoints_user_slot', columnNames: ['user_id', 'slot'], isUnique: true },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'webhook_events',
        columns: [
          column.id(),
          column.text('public_id', 40),
          column.text('type', 64),
          column.integer('user_id', { isNullable: true }),
          column.integer('endpoint_id', { isNullable: true }),
          column.longText('data'),
          column.longText('content', { isNullable: true }),
          column.timestamp('occurred_at'),
          column.timestamp('dispatched_at', { isNullable: true }),
        ],
        indices: [
          { name: 'ix_webhook_events_user_id', columnNames: ['user_id'] },
          { name: 'ix_webhook_events_dispatched_at', columnNames: ['dispatched_at'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'webhook_deliveries',
        columns: deliveryColumns(column),
        indices: [
          { name: 'ix_webhook_deliveries_due', columnNames: ['endpoint_id', 'next_attempt_at'] },
          { name: 'ix_webhook_deliveries_list', columnNames: ['endpoint_id', 'id'] },
          { name: 'ix_webhook_deliveries_event_id', columnNames: ['event_id'] },
        ],
        foreignKeys: [cascade('fk_webhook_deliveries_event_id', 'event_id', 'webhook_events')],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'webhook_attempts',
        columns: [
          column.id(),
          column.integer('delivery_id'),
          column.timestamp('started_at'),
          column.integer('duration_ms'),
          column.integer('status_code', { isNullable: true }),
          column.text('error', 32, { isNullable: true }),
          column.text('response_body', 1024, { isNullable: true }),
        ],
        indices: [{ name: 'ix_webhook_attempts_delivery_id', columnNames: ['delivery_id'] }],
        foreignKeys: [cascade('fk_webhook_attempts_delivery_id', 'delivery_id', 'webhook_deliveries')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['webhook_attempts', 'webhook_deliveries', 'webhook_events', 'webhook_endpoints']) {
      await queryRunner.dropTable(table);
    }
  }
}

function endpointColumns(column: MigrationColumns): TableColumnOptions[] {
  return [
    column.id(),
    column.integer('user_id'),
    column.integer('slot', { isNullable: true }),
    column.text('url', 2048),
    column.text('description', 500),
    column.longText('events'),
    column.text('scope', 8),
    column.boolean('include_content'),
    column.boolean('is_active'),
    column.timestamp('active_since'),
    column.text('secret', 255),
    column.longText('previous_secrets'),
    column.timestamp('next_due_at', { isNullable: true }),
    column.timestamp('held_until', { isNullable: true }),
    column.integer('failure_count'),
    column.timestamp('failing_since', { isNullable: true }),
    column.timestamp('recovered_at', { isNullable: true }),
    column.text('disabled_reason', 16, { isNullable: true }),
    column.timestamp('disabled_at', { isNullable: true }),
    column.timestamp('last_success_at', { isNullable: true }),
    column.timestamp('last_failure_at', { isNullable: true }),
    column.timestamp('created_at'),
    column.timestamp('updated_at'),
    column.timestamp('deleted_at', { isNullable: true }),
  ];
}

function deliveryColumns(column: MigrationColumns): TableColumnOptions[] {
  return [
    column.id(),
    column.integer('endpoint_id'),
    column.integer('event_id'),
    column.text('event_type', 64),
    column.text('status', 12),
    column.integer('attempt_count'),
    column.integer('retry_step'),
    column.timestamp('next_attempt_at', { isNullable: true }),
    column.timestamp('not_before', { isNullable: true }),
    column.text('lease_owner', 36, { isNullable: true }),
    column.timestamp('last_attempt_at', { isNullable: true }),
    column.timestamp('completed_at', { isNullable: true }),
    column.timestamp('created_at'),
  ];
}

function cascade(name: string, columnName: string, table: string): TableForeignKeyOptions {
  return {
    name,
    columnNames: [columnName],
    referencedTableName: table,
    referencedColumnNames: ['id'],
    onDelete: 'CASCADE',
    onUpdate: 'NO ACTION',
  };
}
