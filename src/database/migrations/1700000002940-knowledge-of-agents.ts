import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../migration-columns';

const TABLES = ['agents', 'agent_versions', 'chats'];

/** The collections that agents and conversations search. */
export class KnowledgeOfAgents1700000002940 implements MigrationInterface {
  readonly name = 'KnowledgeOfAgents1700000002940';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { type } = migrationColumns(queryRunner).longText('knowledge');
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    for (const table of TABLES) {
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN knowledge ${type} NULL`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN knowledge`);
    }
  }
}
