import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** What programs keep with conversations, in bytes. */
export class StoredMetadata1700000002200 implements MigrationInterface {
  readonly name = 'StoredMetadata1700000002200';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'usage_stored_metadata',
        columns: [
          { ...column.integer('chat_id'), isPrimary: true },
          column.integer('user_id'),
          column.integer('bytes'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('usage_stored_metadata');
  }
}
