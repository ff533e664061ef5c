import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Groups of users, who gave each membership, and which groups an agent is open to. */
export class Groups1700000002450 implements MigrationInterface {
  readonly name = 'Groups1700000002450';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'user_groups',
        columns: [
          column.id(),
          column.text('name', 100),
          column.text('name_key', 255),
          column.text('description', 1000),
          column.text('managed_by', 16),
          column.integer('identity_provider_id', { isNullable: true }),
          column.text('external_id', 255, { isNullable: true }),
          column.timestamp('created_at'),
          column.timestamp('updated_at'),
        ],
        indices: [
          { name: 'uq_user_groups_name_key', columnNames: ['name_key'], isUnique: true },
          { name: 'ix_user_groups_provider', columnNames: ['identity_provider_id', 'external_id'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'user_group_members',
        columns: [
          column.id(),
          column.integer('group_id'),
          column.integer('user_id'),
          column.text('source', 16),
          column.integer('identity_provider_id'),
          column.timestamp('created_at'),
        ],
        indices: [
          {
            name: 'uq_user_group_members_source',
            columnNames: ['group_id', 'user_id', 'source', 'identity_provider_id'],
            isUnique: true,
          },
          { name: 'ix_user_group_members_user', columnNames: ['user_id', 'group_id'] },
        ],
      }),
    );
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    const { type } = column.longText('group_ids');
    await queryRunner.query(`ALTER TABLE agents ADD COLUMN group_ids ${type} NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE agents DROP COLUMN group_ids');
    await queryRunner.dropTable('user_group_members');
    await queryRunner.dropTable('user_groups');
  }
}
