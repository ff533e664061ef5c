import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Keys for programs, and which key a message was sent with. */
export class ApiKeys1700000001500 implements MigrationInterface {
  readonly name = 'ApiKeys1700000001500';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'api_keys',
        columns: [
          column.id(),
          column.integer('user_id'),
          column.text('name', 64),
          column.text('secret_hash', 64),
          column.text('previous_hash', 64, { isNullable: true }),
          column.timestamp('previous_until', { isNullable: true }),
          column.text('prefix', 16),
          column.text('last_four', 4),
          column.longText('scopes'),
          column.integer('requests_per_minute', { isNullable: true }),
          column.bigInteger('tokens_per_day', { isNullable: true }),
          column.integer('created_by'),
          column.timestamp('created_at'),
          column.timestamp('last_used_at', { isNullable: true }),
          column.timestamp('expires_at', { isNullable: true }),
          column.timestamp('revoked_at', { isNullable: true }),
        ],
        indices: [
          { name: 'uq_api_keys_secret_hash', columnNames: ['secret_hash'], isUnique: true },
          { name: 'ix_api_keys_previous_hash', columnNames: ['previous_hash'] },
          { name: 'ix_api_keys_user_id', columnNames: ['user_id'] },
          { name: 'ix_api_keys_revoked_at', columnNames: ['revoked_at'] },
        ],
      }),
    );
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    await queryRunner.query('ALTER TABLE usage_entries ADD COLUMN api_key_id integer NULL');
    await queryRunner.query('ALTER TABLE chat_messages ADD COLUMN api_key_id integer NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE chat_messages DROP COLUMN api_key_id');
    await queryRunner.query('ALTER TABLE usage_entries DROP COLUMN api_key_id');
    await queryRunner.dropTable('api_keys');
  }
}
