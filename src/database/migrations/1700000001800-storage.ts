import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Not `addColumn`, which copies the whole table on SQLite: these need only the schema. */
const COLUMNS = [
  // -1: not set yet. The service sets it from its environment when it starts.
  { table: 'plans', column: 'storage_bytes', type: 'bigint NULL DEFAULT -1' },
  { table: 'users', column: 'quota_storage_override', type: 'bigint NULL' },
  { table: 'usage_accounts', column: 'stored_bytes', type: 'bigint NOT NULL DEFAULT 0' },
  { table: 'blob_references', column: 'user_id', type: 'integer NULL' },
];

/** What users keep, in bytes, and how much of it their plans allow. What is there already is counted in the background. */
export class Storage1700000001800 implements MigrationInterface {
  readonly name = 'Storage1700000001800';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    for (const { table, column: name, type } of COLUMNS) {
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
    }
    await queryRunner.query('CREATE INDEX ix_blob_references_user_id ON blob_references (user_id, hash)');
    await queryRunner.createTable(
      new Table({
        name: 'usage_stored_texts',
        columns: [
          { ...column.integer('message_id'), isPrimary: true },
          column.integer('user_id'),
          column.integer('bytes'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const isMysql = queryRunner.dataSource.driver.options.type !== 'better-sqlite3';
    await queryRunner.dropTable('usage_stored_texts');
    await queryRunner.query(`DROP INDEX ix_blob_references_user_id${isMysql ? ' ON blob_references' : ''}`);
    for (const { table, column } of [...COLUMNS].reverse()) {
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    }
  }
}
