import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** What instances report of themselves, and log levels that administrators set for a time. */
export class Instances1700000003030 implements MigrationInterface {
  readonly name = 'Instances1700000003030';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    const { type } = column.longText('report');
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query(`ALTER TABLE chat_reply_owners ADD COLUMN report ${type} NULL`);
    await queryRunner.createTable(
      new Table({
        name: 'log_levels',
        columns: [
          column.id(),
          column.text('instance_id', 36, { isNullable }),
          column.text('place', 300, { isNullable }),
          column.text('level', 8),
          column.timestamp('until'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('log_levels');
    await queryRunner.query('ALTER TABLE chat_reply_owners DROP COLUMN report');
  }
}
