import type { MigrationInterface, QueryRunner } from 'typeorm';
import { commitBatch } from '../migrating/commit-batch';

/** Entries that are looked at before what was removed of them is committed. */
const ENTRIES = 2_000;

const NEXT = `SELECT message_id, user_id FROM usage_entries WHERE message_id > ? ORDER BY message_id LIMIT ${ENTRIES}`;

/** Accounts that were erased keep sums, and no entry of the ledger for each message. */
export class ErasedLedger1700000001110 implements MigrationInterface {
  readonly name = 'ErasedLedger1700000001110';

  /** In the order of the ledger: the entries of an account are all over it. Read beforehand, no account is locked. */
  async up(queryRunner: QueryRunner): Promise<void> {
    const accounts = (await queryRunner.query(
      'SELECT id FROM users WHERE deleted_at IS NOT NULL AND erase_at IS NULL',
    )) as { id: number }[];
    const erased = new Set(accounts.map(({ id }) => Number(id)));
    for (let last = 0; erased.size > 0;) {
      const entries = (await queryRunner.query(NEXT, [last])) as { message_id: number; user_id: number }[];
      if (entries.length === 0) {
        return;
      }
      const theirs = entries.filter((entry) => erased.has(Number(entry.user_id)));
      if (theirs.length > 0) {
        const ids = theirs.map((entry) => Number(entry.message_id)).join();
        await queryRunner.query(`DELETE FROM usage_entries WHERE message_id IN (${ids})`);
        await commitBatch(queryRunner);
      }
      last = Number(entries.at(-1)?.message_id);
    }
  }

  async down(): Promise<void> {
    // What was erased does not come back.
  }
}
