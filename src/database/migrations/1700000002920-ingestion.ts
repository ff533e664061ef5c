import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Whose files are being ingested, and the headings of texts. */
export class Ingestion1700000002920 implements MigrationInterface {
  readonly name = 'Ingestion1700000002920';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'knowledge_turns',
        columns: [
          { ...column.integer('owner_id'), isPrimary: true },
          column.integer('job_id', { isNullable: true }),
          column.timestamp('served_at'),
        ],
      }),
    );
    await queryRunner.query('ALTER TABLE knowledge_texts ADD COLUMN headings longtext NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE knowledge_texts DROP COLUMN headings');
    await queryRunner.dropTable('knowledge_turns');
  }
}
