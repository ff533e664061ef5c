import { MigrationInterface, QueryRunner, Table, type TableColumnOptions } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** What long replies grow by while they are written. */
export class ReplyPieces1700000002420 implements MigrationInterface {
  readonly name = 'ReplyPieces1700000002420';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const key = (definition: TableColumnOptions): TableColumnOptions => ({ ...definition, isPrimary: true });
    await queryRunner.createTable(
      new Table({
        name: 'reply_pieces',
        columns: [
          key(column.integer('message_id')),
          key(column.integer('number')),
          column.integer('text_offset'),
          column.longText('content'),
          column.integer('reasoning_offset'),
          column.longText('reasoning'),
          column.longText('steps'),
          column.longText('calls', { isNullable: true }),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('reply_pieces');
  }
}
