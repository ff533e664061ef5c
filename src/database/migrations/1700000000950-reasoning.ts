import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** What models think beside their replies, and the stream tickets that have been used. */
export class Reasoning1700000000950 implements MigrationInterface {
  readonly name = 'Reasoning1700000000950';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const { name, type } = column.longText('reasoning');
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    await queryRunner.query(`ALTER TABLE chat_messages ADD COLUMN ${name} ${type}`);
    await queryRunner.createTable(
      new Table({
        name: 'chat_used_tickets',
        columns: [{ ...column.text('id', 36), isPrimary: true }, column.timestamp('expires_at')],
        indices: [{ name: 'ix_chat_used_tickets_expires_at', columnNames: ['expires_at'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('chat_used_tickets');
    await queryRunner.query('ALTER TABLE chat_messages DROP COLUMN reasoning');
  }
}
