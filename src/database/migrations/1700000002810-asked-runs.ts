import { MigrationInterface, QueryRunner } from 'typeorm';

/** A run says since when its model is asked, so that whoever goes on with it knows whether a crash has cut an answer. */
export class AskedRuns1700000002810 implements MigrationInterface {
  readonly name = 'AskedRuns1700000002810';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query('ALTER TABLE tool_runs ADD COLUMN asked_at datetime(3) NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE tool_runs DROP COLUMN asked_at');
  }
}
