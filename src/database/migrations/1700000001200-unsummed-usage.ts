import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Sums of usage are brought up to date in the background. This marks what they do not have yet: so far, nothing. */
export class UnsummedUsage1700000001200 implements MigrationInterface {
  readonly name = 'UnsummedUsage1700000001200';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    await queryRunner.query('ALTER TABLE usage_entries ADD COLUMN unsummed integer NULL');
    await queryRunner.query('CREATE INDEX ix_usage_entries_unsummed ON usage_entries (unsummed, user_id)');
    await queryRunner.createTable(
      new Table({
        name: 'usage_new_chats',
        columns: [column.id(), column.integer('user_id'), column.integer('agent_id'), column.integer('day')],
        indices: [{ name: 'ix_usage_new_chats_user_id', columnNames: ['user_id'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('usage_new_chats');
    const isMysql = queryRunner.dataSource.driver.options.type !== 'better-sqlite3';
    await queryRunner.query(`DROP INDEX ix_usage_entries_unsummed${isMysql ? ' ON usage_entries' : ''}`);
    await queryRunner.query('ALTER TABLE usage_entries DROP COLUMN unsummed');
  }
}
