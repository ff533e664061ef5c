import { MigrationInterface, QueryRunner } from 'typeorm';

/** The response that a reply began with is kept while one that goes on from it repeats it. */
export class DeletedResponses1700000002822 implements MigrationInterface {
  readonly name = 'DeletedResponses1700000002822';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query('ALTER TABLE openai_responses ADD COLUMN is_deleted boolean NOT NULL DEFAULT 0');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE openai_responses DROP COLUMN is_deleted');
  }
}
