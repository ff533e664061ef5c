import { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the owner of a conversation has read it. */
export class ReadMessages1700000002511 implements MigrationInterface {
  readonly name = 'ReadMessages1700000002511';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
    await queryRunner.query('ALTER TABLE chats ADD COLUMN read_message_id integer NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE chats DROP COLUMN read_message_id');
  }
}
