import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { MigrationColumns, migrationColumns } from '../migration-columns';

const NULLABLE = { isNullable: true };
const COUNTER = { default: 0 };

/** Conversations, their messages, the keys of repeated requests, and the instances that write replies. */
export class Chats1700000000500 implements MigrationInterface {
  name = 'Chats1700000000500';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    for (const table of [chats, counts, messages, idempotencyKeys, replyOwners]) {
      await queryRunner.createTable(table(column));
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of ['chat_reply_owners', 'chat_idempotency_keys', 'chat_messages', 'chat_counts', 'chats']) {
      await queryRunner.dropTable(name);
    }
  }
}

function chats(column: MigrationColumns): Table {
  return new Table({
    name: 'chats',
    columns: [
      column.id(),
      column.integer('user_id'),
      column.integer('agent_id'),
      column.text('title', 200),
      column.boolean('has_placeholder_title'),
      column.text('language', 16, NULLABLE),
      column.boolean('is_pinned'),
      column.boolean('is_archived'),
      column.longText('tags'),
      column.integer('message_count'),
      column.timestamp('last_message_at', NULLABLE),
      column.integer('active_message_id', NULLABLE),
      column.integer('last_reply_id', NULLABLE),
      column.integer('title_reply_id', NULLABLE),
      column.timestamp('created_at'),
      column.timestamp('updated_at'),
      column.timestamp('deleted_at', NULLABLE),
    ],
    indices: [
      { name: 'ix_chats_user_id_updated_at', columnNames: ['user_id', 'deleted_at', 'updated_at', 'id'] },
      { name: 'ix_chats_active_message_id', columnNames: ['active_message_id', 'user_id'] },
      { name: 'ix_chats_agent_id', columnNames: ['agent_id'] },
      { name: 'ix_chats_deleted_at', columnNames: ['deleted_at'] },
    ],
  });
}

function counts(column: MigrationColumns): Table {
  return new Table({
    name: 'chat_counts',
    columns: [
      { ...column.integer('user_id'), isPrimary: true },
      column.integer('total', COUNTER),
      column.integer('archived', COUNTER),
    ],
  });
}

function messages(column: MigrationColumns): Table {
  return new Table({
    name: 'chat_messages',
    columns: [
      column.id(),
      column.integer('chat_id'),
      column.integer('position'),
      column.text('role', 16),
      column.text('language', 16, NULLABLE),
      column.text('status', 16),
      column.text('finish_reason', 16, NULLABLE),
      column.integer('parent_id', NULLABLE),
      column.boolean('is_current'),
      column.text('model', 191, NULLABLE),
      column.longText('token_usage', NULLABLE),
      column.integer('token_count'),
      column.longText('failure', NULLABLE),
      column.text('feedback_rating', 16, NULLABLE),
      column.text('feedback_comment', 2000, NULLABLE),
      column.timestamp('feedback_at', NULLABLE),
      column.text('owner_id', 36, NULLABLE),
      column.timestamp('stop_requested_at', NULLABLE),
      column.timestamp('created_at'),
      column.timestamp('updated_at'),
      column.timestamp('completed_at', NULLABLE),
      column.integer('first_token_ms', NULLABLE),
      column.integer('duration_ms', NULLABLE),
      // Last, because SQLite reads a row from its beginning: all else is found without passing over a long text.
      column.longText('content'),
    ],
    indices: [
      // Both engines add the id to it, so that it has a conversation in its order.
      { name: 'ix_chat_messages_chat_id_position', columnNames: ['chat_id', 'position'] },
      { name: 'ix_chat_messages_feedback_at', columnNames: ['feedback_at', 'chat_id', 'feedback_rating'] },
    ],
  });
}

function idempotencyKeys(column: MigrationColumns): Table {
  return new Table({
    name: 'chat_idempotency_keys',
    columns: [
      column.id(),
      column.integer('user_id'),
      column.text('idempotency_key', 64),
      column.text('fingerprint', 64),
      column.integer('chat_id'),
      column.integer('user_message_id', NULLABLE),
      column.integer('message_id', NULLABLE),
      column.timestamp('created_at'),
    ],
    indices: [
      {
        name: 'uq_chat_idempotency_keys_user_id_key',
        columnNames: ['user_id', 'idempotency_key'],
        isUnique: true,
      },
      { name: 'ix_chat_idempotency_keys_created_at', columnNames: ['created_at'] },
    ],
  });
}

function replyOwners(column: MigrationColumns): Table {
  return new Table({
    name: 'chat_reply_owners',
    columns: [{ ...column.text('id', 36), isPrimary: true }, column.timestamp('seen_at')],
  });
}
