import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Links with which others read a conversation. */
export class Shares1700000002530 implements MigrationInterface {
  readonly name = 'Shares1700000002530';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'chat_shares',
        columns: [
          column.id(),
          column.integer('chat_id'),
          column.integer('user_id'),
          column.text('token_hash', 64),
          column.text('mode', 16),
          column.text('title', 200, { isNullable }),
          column.longText('message_ids', { isNullable }),
          column.timestamp('expires_at', { isNullable }),
          column.timestamp('ended_at', { isNullable }),
          column.timestamp('created_at'),
        ],
        indices: [
          { name: 'uq_chat_shares_token_hash', columnNames: ['token_hash'], isUnique: true },
          { name: 'ix_chat_shares_chat_id', columnNames: ['chat_id'] },
          { name: 'ix_chat_shares_user_id', columnNames: ['user_id'] },
          { name: 'ix_chat_shares_ended_at', columnNames: ['ended_at'] },
          { name: 'ix_chat_shares_expires_at', columnNames: ['expires_at'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('chat_shares');
  }
}
