import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Legal holds, the users whom they cover, and what they keep of deleted rows. */
export class LegalHolds1700000003000 implements MigrationInterface {
  readonly name = 'LegalHolds1700000003000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    const { type } = column.integer('id');
    await queryRunner.createTable(
      new Table({
        name: 'legal_holds',
        columns: [
          column.id(),
          column.text('scope', 16),
          column.integer('scope_id'),
          column.text('name', 200),
          column.text('reason', 2000),
          column.boolean('notify'),
          column.timestamp('ends_at', { isNullable }),
          column.text('status', 16),
          column.integer('created_by'),
          column.timestamp('created_at'),
          column.integer('released_by', { isNullable }),
          column.timestamp('released_at', { isNullable }),
          column.text('release_reason', 2000, { isNullable }),
          column.longText('counts', { isNullable }),
        ],
        indices: [
          { name: 'ix_legal_holds_scope', columnNames: ['scope', 'scope_id', 'status'] },
          { name: 'ix_legal_holds_status', columnNames: ['status', 'ends_at'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'legal_hold_users',
        columns: [
          { name: 'hold_id', type, isPrimary: true },
          { name: 'user_id', type, isPrimary: true },
          column.boolean('is_active'),
          column.timestamp('since'),
        ],
        indices: [{ name: 'ix_legal_hold_users_user', columnNames: ['user_id', 'is_active'] }],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'legal_hold_copies',
        columns: [
          column.id(),
          column.integer('user_id'),
          column.integer('chat_id', { isNullable }),
          column.text('kind', 32),
          column.longText('data'),
          column.timestamp('deleted_at'),
        ],
        indices: [{ name: 'ix_legal_hold_copies_user', columnNames: ['user_id', 'kind'] }],
      }),
    );
    await queryRunner.createTable(
      new Table({ name: 'legal_hold_lock', columns: [{ name: 'id', type, isPrimary: true }] }),
    );
    await queryRunner.query(
      'INSERT INTO legal_hold_lock (id) SELECT 1 FROM (SELECT 1 AS one) AS row_to_add ' +
        'WHERE NOT EXISTS (SELECT 1 FROM legal_hold_lock)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('legal_hold_lock');
    await queryRunner.dropTable('legal_hold_copies');
    await queryRunner.dropTable('legal_hold_users');
    await queryRunner.dropTable('legal_holds');
  }
}
