import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../migration-columns';

const TABLES = ['agents', 'agent_versions'];

/** Which tools an agent may call, and how much. */
export class AgentTools1700000002570 implements MigrationInterface {
  readonly name = 'AgentTools1700000002570';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const { type } = column.longText('tools');
    for (const table of TABLES) {
      // Not `addColumn`, which copies the whole table on SQLite: these need only the schema.
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN tools ${type} NULL`);
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN max_rounds integer NULL`);
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN max_calls integer NULL`);
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN max_cost_per_run varchar(25) NULL`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      for (const name of ['max_cost_per_run', 'max_calls', 'max_rounds', 'tools']) {
        await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${name}`);
      }
    }
  }
}
