import { MigrationInterface, QueryRunner } from 'typeorm';
import { commitBatch } from '../migrating/commit-batch';

/** Conversations of one statement: a server keeps what a statement changed until it ends, and clusters limit it. */
const CHATS = 500;

/** The last conversation that an earlier start has given its line, before it was cut. */
const LAST_DONE = 'SELECT id FROM chats WHERE line_end_id IS NOT NULL ORDER BY id DESC LIMIT 1';

const NEXT_CHATS = `
  SELECT MIN(id) AS first, MAX(id) AS last FROM (SELECT id FROM chats WHERE id > ? ORDER BY id LIMIT ${CHATS}) chosen`;

/** The message before each message of a conversation's current line. */
const BEFORE = `
  SELECT id, LAG(id) OVER (PARTITION BY chat_id ORDER BY position, id) AS before_id
  FROM chat_messages WHERE is_current = 1 AND chat_id BETWEEN ? AND ?`;

/** The last message of each conversation's current line. */
const ENDS = `
  SELECT chat_id, id FROM (
    SELECT chat_id, id, ROW_NUMBER() OVER (PARTITION BY chat_id ORDER BY position DESC, id DESC) AS place
    FROM chat_messages WHERE is_current = 1 AND chat_id BETWEEN ? AND ?
  ) placed WHERE place = 1`;

/** Each engine has its own statement for a change from another table, and takes no other. */
const STATEMENTS = {
  sqlite: [
    `UPDATE chat_messages SET parent_id = line.before_id FROM (${BEFORE}) line
     WHERE line.id = chat_messages.id AND chat_messages.role = 'user'`,
    `UPDATE chats SET line_end_id = line.id FROM (${ENDS}) line WHERE line.chat_id = chats.id`,
  ],
  servers: [
    `UPDATE chat_messages INNER JOIN (${BEFORE}) line ON line.id = chat_messages.id
     SET chat_messages.parent_id = line.before_id WHERE chat_messages.role = 'user'`,
    `UPDATE chats INNER JOIN (${ENDS}) line ON line.chat_id = chats.id SET chats.line_end_id = line.id`,
  ],
};

/** Conversations branch: a message of the user names the reply that it follows, a conversation the end of its line. */
export class Lines1700000001000 implements MigrationInterface {
  name = 'Lines1700000001000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE chats ADD COLUMN line_end_id integer NULL');
    await queryRunner.query('ALTER TABLE chats ADD COLUMN former_line_end_id integer NULL');
    const isSqlite = queryRunner.dataSource.driver.options.type === 'better-sqlite3';
    const [done] = (await queryRunner.query(LAST_DONE)) as { id: number }[];
    for (let last = Number(done?.id ?? 0); ;) {
      const [chats] = (await queryRunner.query(NEXT_CHATS, [last])) as { first: number | null; last: number | null }[];
      if (!chats?.last) {
        return;
      }
      for (const statement of STATEMENTS[isSqlite ? 'sqlite' : 'servers']) {
        await queryRunner.query(statement, [chats.first, chats.last]);
      }
      await commitBatch(queryRunner);
      last = Number(chats.last);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("UPDATE chat_messages SET parent_id = NULL WHERE role = 'user'");
    await queryRunner.query('ALTER TABLE chats DROP COLUMN former_line_end_id');
    await queryRunner.query('ALTER TABLE chats DROP COLUMN line_end_id');
  }
}
