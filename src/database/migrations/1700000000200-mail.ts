import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Mails on their way out. */
export class Mail1700000000200 implements MigrationInterface {
  name = 'Mail1700000000200';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'queued_mails',
        columns: [
          column.id(),
          column.text('kind', 40),
          column.text('recipient', 254),
          column.text('language', 16),
          column.longText('payload'),
          column.text('message_id', 36),
          column.text('dedupe_key', 191, { isNullable: true }),
          column.integer('attempts', { default: 0 }),
          column.timestamp('due_at'),
          column.text('claim_token', 36, { isNullable: true }),
          column.timestamp('expires_at'),
          column.timestamp('created_at'),
        ],
        indices: [
          { name: 'ix_queued_mails_dedupe_key', columnNames: ['dedupe_key'] },
          { name: 'ix_queued_mails_due_at', columnNames: ['due_at'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('queued_mails');
  }
}
