import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A user's conversations in the order of their ids, as administrators and exports read them. For it, the index of the trash
 * holds only what is in the trash on SQLite, so that a new conversation goes into as many indices as before.
 */
export class ChatLists1700000001420 implements MigrationInterface {
  readonly name = 'ChatLists1700000001420';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX ix_chats_user_id ON chats (user_id, deleted_at)');
    await remakeTrash(queryRunner, 'WHERE deleted_at IS NOT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await remakeTrash(queryRunner, '');
    await queryRunner.query(`DROP INDEX ix_chats_user_id${isSqlite(queryRunner) ? '' : ' ON chats'}`);
  }
}

async function remakeTrash(queryRunner: QueryRunner, condition: string): Promise<void> {
  if (isSqlite(queryRunner)) {
    await queryRunner.query('DROP INDEX ix_chats_deleted_at');
    await queryRunner.query(`CREATE INDEX ix_chats_deleted_at ON chats (deleted_at) ${condition}`.trim());
  }
}

function isSqlite(queryRunner: QueryRunner): boolean {
  return queryRunner.dataSource.driver.options.type === 'better-sqlite3';
}
