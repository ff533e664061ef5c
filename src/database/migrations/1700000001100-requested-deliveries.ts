import { MigrationInterface, QueryRunner, TableColumn, TableIndex } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Deliveries that owners ask for are sent also to endpoints that are switched off. */
export class RequestedDeliveries1700000001100 implements MigrationInterface {
  readonly name = 'RequestedDeliveries1700000001100';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.addColumn(
      'webhook_deliveries',
      new TableColumn(column.boolean('is_requested', { default: '0' })),
    );
    await replaceDueIndex(queryRunner, ['next_due_at']);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceDueIndex(queryRunner, ['is_active', 'next_due_at']);
    await queryRunner.dropColumn('webhook_deliveries', 'is_requested');
  }
}

async function replaceDueIndex(queryRunner: QueryRunner, columnNames: string[]): Promise<void> {
  const name = 'ix_webhook_endpoints_due';
  await queryRunner.dropIndex('webhook_endpoints', name);
  await queryRunner.createIndex('webhook_endpoints', new TableIndex({ name, columnNames }));
}
