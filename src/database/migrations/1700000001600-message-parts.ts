import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Messages may be more than text: their parts, and for replies whose events have numbers the bounds of their steps. */
export class MessageParts1700000001600 implements MigrationInterface {
  readonly name = 'MessageParts1700000001600';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    for (const { name, type } of [column.longText('parts'), column.longText('steps')]) {
      // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
      await queryRunner.query(`ALTER TABLE chat_messages ADD COLUMN ${name} ${type}`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const column of ['steps', 'parts']) {
      await queryRunner.query(`ALTER TABLE chat_messages DROP COLUMN ${column}`);
    }
  }
}
