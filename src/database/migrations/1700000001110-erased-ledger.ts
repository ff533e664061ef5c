import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts that were erased keep sums, and no entry of the ledger for each message. */
export class ErasedLedger1700000001110 implements MigrationInterface {
  readonly name = 'ErasedLedger1700000001110';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DELETE FROM usage_entries WHERE user_id IN ' +
        '(SELECT id FROM users WHERE deleted_at IS NOT NULL AND erase_at IS NULL)',
    );
  }

  async down(): Promise<void> {
    // What was erased does not come back.
  }
}
