import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Links with which one person may register. */
export class Invitations1700000002531 implements MigrationInterface {
  readonly name = 'Invitations1700000002531';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'invitations',
        columns: [
          column.id(),
          column.text('token_hash', 64),
          column.text('email', 254, { isNullable }),
          column.text('membership_type', 16),
          column.integer('created_by'),
          column.integer('user_id', { isNullable }),
          column.timestamp('used_at', { isNullable }),
          column.timestamp('expires_at'),
          column.timestamp('created_at'),
        ],
        indices: [
          { name: 'uq_invitations_token_hash', columnNames: ['token_hash'], isUnique: true },
          { name: 'ix_invitations_user_id', columnNames: ['user_id'] },
          { name: 'ix_invitations_expires_at', columnNames: ['expires_at'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('invitations');
  }
}
