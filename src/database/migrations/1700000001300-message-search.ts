import { MigrationInterface, QueryRunner, Table, type TableColumnOptions } from 'typeorm';
import { migrationColumns } from '../migration-columns';

const TABLES = ['chat_search_segments', 'chat_search_grams', 'chat_search_progress'];

/** The index for searching messages. The service fills it while it runs; until then searches read the messages. */
export class MessageSearch1700000001300 implements MigrationInterface {
  readonly name = 'MessageSearch1700000001300';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const blob = (name: string): TableColumnOptions => ({ name, type: 'blob' });
    const key = (name: string): TableColumnOptions => ({ ...column.integer(name), isPrimary: true });
    const segments = new Table({
      name: 'chat_search_segments',
      columns: [
        column.id(),
        column.integer('user_id'),
        blob('chats'),
        blob('messages'),
        column.integer('text_length'),
        column.boolean('is_full'),
        column.boolean('is_built'),
        column.integer('claim', { isNullable: true }),
        column.timestamp('claimed_until', { isNullable: true }),
      ],
      indices: [
        { name: 'ix_chat_search_segments_user_id', columnNames: ['user_id'] },
        { name: 'ix_chat_search_segments_is_built', columnNames: ['is_full', 'is_built'] },
      ],
    });
    const grams = new Table({
      name: 'chat_search_grams',
      columns: [key('segment_id'), key('gram'), blob('postings')],
      withoutRowid: true,
    });
    const progress = new Table({ name: 'chat_search_progress', columns: [key('id'), column.integer('message_id')] });
    for (const table of [segments, grams, progress]) {
      await queryRunner.createTable(table);
    }
    await queryRunner.query(
      'INSERT INTO chat_search_progress (id, message_id) ' +
        'SELECT 1, 0 FROM (SELECT COUNT(*) AS kept FROM chat_search_progress) AS progress WHERE kept = 0',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await queryRunner.dropTable(table);
    }
  }
}
