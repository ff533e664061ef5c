import { MigrationInterface, QueryRunner } from 'typeorm';

const FILES = 'SELECT m.chat_id FROM chat_messages m INNER JOIN blob_references r ON r.message_id = m.id';

/** A conversation keeps that it was tainted, and an agent whether reads at other servers then ask: those of before do not. */
export class LastingTaint1700000002846 implements MigrationInterface {
  readonly name = 'LastingTaint1700000002846';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query('ALTER TABLE chats ADD COLUMN tainted_at datetime(3) NULL');
    await queryRunner.query(`UPDATE chats SET tainted_at = updated_at WHERE id IN (${FILES})`);
    for (const table of ['agents', 'agent_versions']) {
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN outside_reads varchar(8) NOT NULL DEFAULT 'auto'`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['agents', 'agent_versions']) {
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN outside_reads`);
    }
    await queryRunner.query('ALTER TABLE chats DROP COLUMN tainted_at');
  }
}
