import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Responses of the Anthropic-compatible API for repetitions of their requests. */
export class AnthropicAnswers1700000002962 implements MigrationInterface {
  readonly name = 'AnthropicAnswers1700000002962';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'anthropic_answers',
        columns: [
          column.id(),
          column.integer('user_id'),
          column.text('idempotency_key', 64),
          column.text('fingerprint', 64),
          column.text('content_type', 255, { isNullable }),
          column.text('request_id', 64, { isNullable }),
          column.longBytes('body', { isNullable }),
          column.timestamp('leased_until', { isNullable }),
          column.timestamp('created_at'),
        ],
        indices: [
          {
            name: 'uq_anthropic_answers_user_id_key',
            columnNames: ['user_id', 'idempotency_key'],
            isUnique: true,
          },
          { name: 'ix_anthropic_answers_created_at', columnNames: ['created_at'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('anthropic_answers');
  }
}
