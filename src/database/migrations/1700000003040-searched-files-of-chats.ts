import { MigrationInterface, QueryRunner } from 'typeorm';

/** Conversations with files that their replies search. */
export class SearchedFilesOfChats1700000003040 implements MigrationInterface {
  readonly name = 'SearchedFilesOfChats1700000003040';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query('ALTER TABLE chats ADD COLUMN has_files boolean NOT NULL DEFAULT 0');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE chats DROP COLUMN has_files');
  }
}
