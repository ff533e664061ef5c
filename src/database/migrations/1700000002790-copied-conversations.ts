import { MigrationInterface, QueryRunner } from 'typeorm';

/** A conversation says that it began as a copy of a shared one, whose words are those of somebody else. */
export class CopiedConversations1700000002790 implements MigrationInterface {
  readonly name = 'CopiedConversations1700000002790';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite: this needs only the schema.
    await queryRunner.query('ALTER TABLE chats ADD COLUMN copied_at datetime(3) NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE chats DROP COLUMN copied_at');
  }
}
