import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Searches find messages by the names of their files. */
export class FileNames1700000002000 implements MigrationInterface {
  readonly name = 'FileNames1700000002000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { name, type } = migrationColumns(queryRunner).longText('file_names');
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    await queryRunner.query(`ALTER TABLE chat_messages ADD COLUMN ${name} ${type}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE chat_messages DROP COLUMN file_names');
  }
}
