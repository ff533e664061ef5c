import { MigrationInterface, QueryRunner } from 'typeorm';

const TIME = 'datetime(3)';

/** What stays of files and accounts whose deletion is due while a legal hold covers them. */
export class HeldData1700000003001 implements MigrationInterface {
  readonly name = 'HeldData1700000003001';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Not `addColumn`, which copies the whole table on SQLite.
    const isMysql = queryRunner.dataSource.driver.options.type !== 'better-sqlite3';
    const integer = isMysql ? 'int' : 'integer';
    await queryRunner.query(`ALTER TABLE users ADD COLUMN released_at ${TIME} NULL`);
    await queryRunner.query(`ALTER TABLE knowledge_files ADD COLUMN held_owner_id ${integer} NULL`);
    await queryRunner.query(`ALTER TABLE knowledge_files ADD COLUMN held_chat_id ${integer} NULL`);
    await queryRunner.query(`ALTER TABLE knowledge_files ADD COLUMN deleted_at ${TIME} NULL`);
    await queryRunner.query('CREATE INDEX ix_knowledge_files_held_owner ON knowledge_files (held_owner_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const drop = queryRunner.dataSource.driver.options.type === 'better-sqlite3' ? '' : ' ON knowledge_files';
    await queryRunner.query(`DROP INDEX ix_knowledge_files_held_owner${drop}`);
    await queryRunner.query('ALTER TABLE knowledge_files DROP COLUMN deleted_at');
    await queryRunner.query('ALTER TABLE knowledge_files DROP COLUMN held_chat_id');
    await queryRunner.query('ALTER TABLE knowledge_files DROP COLUMN held_owner_id');
    await queryRunner.query('ALTER TABLE users DROP COLUMN released_at');
  }
}
