import { MigrationInterface, QueryRunner } from 'typeorm';
import { isSqlite } from '../row-statements';

/** Deliveries that owners ask for are sent also to endpoints that are switched off. */
export class RequestedDeliveries1700000001100 implements MigrationInterface {
  readonly name = 'RequestedDeliveries1700000001100';

  async up(queryRunner: QueryRunner): Promise<void> {
    const type = isSqlite(queryRunner.manager) ? 'boolean' : 'tinyint(1)';
    // TypeORM would build SQLite's table anew, and what refers to its rows would go with the old one.
    await queryRunner.query(`ALTER TABLE webhook_deliveries ADD COLUMN is_requested ${type} NOT NULL DEFAULT 0`);
    await replaceDueIndex(queryRunner, ['next_due_at']);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceDueIndex(queryRunner, ['is_active', 'next_due_at']);
    await queryRunner.query('ALTER TABLE webhook_deliveries DROP COLUMN is_requested');
  }
}

async function replaceDueIndex(queryRunner: QueryRunner, columnNames: string[]): Promise<void> {
  const name = 'ix_webhook_endpoints_due';
  await queryRunner.query(`DROP INDEX ${name}${isSqlite(queryRunner.manager) ? '' : ' ON webhook_endpoints'}`);
  await queryRunner.query(`CREATE INDEX ${name} ON webhook_endpoints (${columnNames.join(', ')})`);
}
