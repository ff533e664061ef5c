import { MigrationInterface, QueryRunner } from 'typeorm';

/** Not `addColumn`, which copies the whole table on SQLite: these need only the schema. */
const COLUMNS = [
  // -1: not set yet. The service sets it from its environment when it starts.
  { table: 'plans', column: 'embedding_tokens', type: 'bigint NULL DEFAULT -1' },
  { table: 'users', column: 'quota_embedding_tokens_override', type: 'bigint NULL' },
];

/** Tokens that users may embed per day, by plan and for one user. */
export class EmbeddingQuotas1700000002950 implements MigrationInterface {
  readonly name = 'EmbeddingQuotas1700000002950';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const { table, column, type } of COLUMNS) {
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { table, column } of [...COLUMNS].reverse()) {
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    }
  }
}
