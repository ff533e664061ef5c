import { MigrationInterface, QueryRunner } from 'typeorm';

const WAITING = '(SELECT COUNT(*) FROM usage_new_chats WHERE usage_new_chats.user_id = usage_accounts.user_id)';

/**
 * A user's number of created chats is brought up to date in the background too. So far, chats that waited for their sums
 * were in it already: they are taken out, and will be added with the sums.
 */
export class UnsummedChats1700000001400 implements MigrationInterface {
  readonly name = 'UnsummedChats1700000001400';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`UPDATE usage_accounts SET total_chats = total_chats - ${WAITING} WHERE ${WAITING} > 0`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`UPDATE usage_accounts SET total_chats = total_chats + ${WAITING} WHERE ${WAITING} > 0`);
  }
}
