import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** API keys of directories, and what directories say about people (SCIM). */
export class DirectoryKeys1700000002452 implements MigrationInterface {
  readonly name = 'DirectoryKeys1700000002452';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    await queryRunner.query('ALTER TABLE api_keys ADD COLUMN identity_provider_id integer NULL');
    await queryRunner.createTable(
      new Table({
        name: 'scim_users',
        columns: [
          column.id(),
          column.integer('identity_provider_id'),
          column.integer('user_id'),
          column.text('user_name', 255),
          column.text('user_name_key', 255),
          column.boolean('is_made'),
          column.longText('attributes'),
          column.timestamp('created_at'),
          column.timestamp('updated_at'),
        ],
        indices: [
          {
            name: 'uq_scim_users_name',
            columnNames: ['identity_provider_id', 'user_name_key'],
            isUnique: true,
          },
          { name: 'uq_scim_users_user', columnNames: ['user_id', 'identity_provider_id'], isUnique: true },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('scim_users');
    await queryRunner.query('ALTER TABLE api_keys DROP COLUMN identity_provider_id');
  }
}
