import { MigrationInterface, QueryRunner, Table, TableForeignKeyOptions, TableIndex } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/**
 * What clients of OpenAI's API keep with their responses and conversations. The rows go with the messages and conversations
 * that they belong to, whoever deletes those.
 */
export class OpenAiResponses1700000001650 implements MigrationInterface {
  readonly name = 'OpenAiResponses1700000001650';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'openai_responses',
        columns: [
          { ...column.integer('message_id'), isPrimary: true },
          column.integer('user_id'),
          column.integer('chat_id'),
          column.integer('question_id'),
          column.integer('turn_count'),
          column.boolean('is_in_conversation'),
          column.longText('settings'),
          column.timestamp('created_at'),
        ],
        foreignKeys: [cascade('fk_openai_responses_message_id', 'message_id', 'chat_messages')],
        indices: [
          new TableIndex({ name: 'ix_openai_responses_user_id', columnNames: ['user_id', 'message_id'] }),
          new TableIndex({ name: 'ix_openai_responses_chat_id', columnNames: ['chat_id', 'message_id'] }),
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'openai_conversations',
        columns: [
          { ...column.integer('chat_id'), isPrimary: true },
          column.integer('user_id'),
          column.longText('metadata'),
        ],
        foreignKeys: [cascade('fk_openai_conversations_chat_id', 'chat_id', 'chats')],
        indices: [new TableIndex({ name: 'ix_openai_conversations_user_id', columnNames: ['user_id', 'chat_id'] })],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('openai_conversations');
    await queryRunner.dropTable('openai_responses');
  }
}

function cascade(name: string, columnName: string, table: string): TableForeignKeyOptions {
  return {
    name,
    columnNames: [columnName],
    referencedTableName: table,
    referencedColumnNames: ['id'],
    onDelete: 'CASCADE',
    onUpdate: 'NO ACTION',
  };
}
