import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Responses of OpenAI's API tell which tools of servers their models were offered. */
export class ListedTools1700000002710 implements MigrationInterface {
  readonly name = 'ListedTools1700000002710';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { type } = migrationColumns(queryRunner).longText('listed');
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    await queryRunner.query(`ALTER TABLE openai_responses ADD COLUMN listed ${type} NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE openai_responses DROP COLUMN listed');
  }
}
