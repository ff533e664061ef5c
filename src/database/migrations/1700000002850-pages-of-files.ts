import { MigrationInterface, QueryRunner } from 'typeorm';

/** Budgets hold the pages of PDFs, and under a hard limit the counted tokens of texts. Of earlier messages both are unknown: null. */
export class PagesOfFiles1700000002850 implements MigrationInterface {
  readonly name = 'PagesOfFiles1700000002850';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query('ALTER TABLE chat_messages ADD COLUMN page_tokens integer NULL');
    await queryRunner.query('ALTER TABLE chat_messages ADD COLUMN counted_tokens integer NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE chat_messages DROP COLUMN counted_tokens');
    await queryRunner.query('ALTER TABLE chat_messages DROP COLUMN page_tokens');
  }
}
