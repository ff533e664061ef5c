import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Requests to models for titles and trials that are under way, so that a crash loses no cost. */
export class SideRequests1700000002590 implements MigrationInterface {
  readonly name = 'SideRequests1700000002590';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'side_requests',
        columns: [
          column.id(),
          column.text('owner_id', 36),
          column.text('kind', 16),
          column.text('hold_name', 40),
          column.integer('user_id'),
          column.integer('api_key_id', { isNullable }),
          column.integer('chat_id'),
          column.integer('agent_id'),
          column.integer('message_id', { isNullable }),
          column.text('provider', 64),
          column.text('model', 191),
          column.integer('prompt_tokens'),
          column.timestamp('asked_at'),
        ],
        indices: [{ name: 'ix_side_requests_user_id', columnNames: ['user_id'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('side_requests');
  }
}
