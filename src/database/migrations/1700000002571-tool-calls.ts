import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Calls of tools that agents make, and what people are asked about them. */
export class ToolCalls1700000002571 implements MigrationInterface {
  readonly name = 'ToolCalls1700000002571';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'tool_runs',
        columns: [
          column.id(),
          column.integer('message_id'),
          column.integer('user_id'),
          column.integer('chat_id'),
          column.integer('epoch'),
          column.integer('round'),
          column.integer('calls'),
          column.integer('told'),
          column.text('cost', 32, { isNullable }),
          column.longText('task'),
          column.timestamp('created_at'),
          column.timestamp('updated_at'),
        ],
        indices: [
          { name: 'uq_tool_runs_message_id', columnNames: ['message_id'], isUnique: true },
          { name: 'ix_tool_runs_user_id', columnNames: ['user_id'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'tool_calls',
        columns: [
          column.id(),
          column.integer('message_id'),
          column.integer('number'),
          column.integer('user_id'),
          column.integer('chat_id'),
          column.integer('agent_id'),
          column.integer('round'),
          column.text('name', 64),
          column.text('source', 64, { isNullable }),
          column.text('server', 32, { isNullable }),
          column.text('pin', 64, { isNullable }),
          column.longText('arguments', { isNullable }),
          column.text('arguments_hash', 64),
          column.text('state', 16),
          column.text('policy', 8),
          column.text('approver', 16),
          column.boolean('read_only'),
          column.boolean('idempotent'),
          column.boolean('destructive'),
          column.boolean('outside'),
          column.integer('attempts'),
          column.longText('result', { isNullable }),
          column.boolean('is_error'),
          column.integer('duration_ms', { isNullable }),
          column.timestamp('created_at'),
          column.timestamp('started_at', { isNullable }),
          column.timestamp('ended_at', { isNullable }),
        ],
        indices: [
          { name: 'uq_tool_calls_message_id_number', columnNames: ['message_id', 'number'], isUnique: true },
          { name: 'ix_tool_calls_chat_id', columnNames: ['chat_id', 'outside'] },
          { name: 'ix_tool_calls_user_id', columnNames: ['user_id'] },
          { name: 'ix_tool_calls_state', columnNames: ['state', 'message_id'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'tool_actions',
        columns: [
          column.id(),
          column.integer('call_id'),
          column.integer('message_id'),
          column.integer('chat_id'),
          column.integer('user_id'),
          column.text('kind', 16),
          column.text('approver', 16),
          column.text('state', 16),
          column.text('decision', 16, { isNullable }),
          column.integer('decided_by', { isNullable }),
          column.timestamp('decided_at', { isNullable }),
          column.longText('edited', { isNullable }),
          column.longText('reason', { isNullable }),
          column.longText('text', { isNullable }),
          column.timestamp('expires_at', { isNullable }),
          column.timestamp('created_at'),
        ],
        indices: [
          { name: 'ix_tool_actions_message_id', columnNames: ['message_id'] },
          { name: 'ix_tool_actions_call_id', columnNames: ['call_id'] },
          { name: 'ix_tool_actions_chat_id', columnNames: ['chat_id', 'state'] },
          { name: 'ix_tool_actions_user_id', columnNames: ['user_id', 'state'] },
          { name: 'ix_tool_actions_state', columnNames: ['state', 'expires_at'] },
          { name: 'ix_tool_actions_approver', columnNames: ['approver', 'state'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of ['tool_actions', 'tool_calls', 'tool_runs']) {
      await queryRunner.dropTable(name);
    }
  }
}
