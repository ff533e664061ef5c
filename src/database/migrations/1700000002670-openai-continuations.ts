import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Responses of OpenAI's API whose agents call tools: which tools they were offered, and where replies that waited go on. */
export class OpenAiContinuations1700000002670 implements MigrationInterface {
  readonly name = 'OpenAiContinuations1700000002670';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    const { type } = column.longText('labels');
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    await queryRunner.query(`ALTER TABLE openai_responses ADD COLUMN labels ${type} NULL`);
    await queryRunner.createTable(
      new Table({
        name: 'openai_continuations',
        columns: [
          column.id(),
          column.integer('message_id'),
          column.integer('number'),
          column.integer('user_id'),
          column.integer('chat_id'),
          column.integer('first_step'),
          column.longText('usage_before', { isNullable }),
          column.longText('settings'),
          column.longText('labels', { isNullable }),
          column.longText('input'),
          column.boolean('is_deleted'),
          column.timestamp('waited_from'),
          column.timestamp('created_at'),
        ],
        foreignKeys: [
          {
            name: 'fk_openai_continuations_message_id',
            columnNames: ['message_id'],
            referencedTableName: 'chat_messages',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
            onUpdate: 'NO ACTION',
          },
        ],
        indices: [
          {
            name: 'uq_openai_continuations_message_id',
            columnNames: ['message_id', 'number'],
            isUnique: true,
          },
          { name: 'ix_openai_continuations_user_id', columnNames: ['user_id'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('openai_continuations');
    await queryRunner.query('ALTER TABLE openai_responses DROP COLUMN labels');
  }
}
