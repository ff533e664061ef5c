import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** How a reply was asked for, where that is more than its conversation says: with which wishes, and of whom. */
export class ReplyWishes1700000002100 implements MigrationInterface {
  readonly name = 'ReplyWishes1700000002100';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'chat_reply_wishes',
        columns: [column.id(), column.integer('chat_id'), column.text('hash', 64), column.longText('wishes')],
        foreignKeys: [
          {
            name: 'fk_chat_reply_wishes_chat_id',
            columnNames: ['chat_id'],
            referencedTableName: 'chats',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
            onUpdate: 'NO ACTION',
          },
        ],
        indices: [{ name: 'uq_chat_reply_wishes_chat_id_hash', columnNames: ['chat_id', 'hash'], isUnique: true }],
      }),
    );
    // Not `addColumn`, which copies the whole table on SQLite: these need only the schema.
    await queryRunner.query('ALTER TABLE chat_messages ADD COLUMN wishes_id integer NULL');
    await queryRunner.query('ALTER TABLE chat_messages ADD COLUMN answerer varchar(300) NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE chat_messages DROP COLUMN answerer');
    await queryRunner.query('ALTER TABLE chat_messages DROP COLUMN wishes_id');
    await queryRunner.dropTable('chat_reply_wishes');
  }
}
