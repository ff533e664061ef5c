import { MigrationInterface, QueryRunner } from 'typeorm';

/** Users of one statement. */
const USERS = 500;

const WAITING = '(SELECT COUNT(*) FROM usage_new_chats WHERE usage_new_chats.user_id = usage_accounts.user_id)';

/**
 * A user's number of created chats is brought up to date in the background too. So far, chats that waited for their sums
 * were in it already: they are taken out, and will be added with the sums.
 */
export class UnsummedChats1700000001400 implements MigrationInterface {
  readonly name = 'UnsummedChats1700000001400';

  up(queryRunner: QueryRunner): Promise<void> {
    return changeTotals(queryRunner, '-');
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return changeTotals(queryRunner, '+');
  }
}

/**
 * Only users whose chats wait, which are those of the last seconds, and not all that there are. Nothing is committed before
 * the note that this is done: to take a chat out twice would be wrong.
 */
async function changeTotals(queryRunner: QueryRunner, sign: '+' | '-'): Promise<void> {
  const waiting = (await queryRunner.query('SELECT DISTINCT user_id AS id FROM usage_new_chats')) as { id: number }[];
  const userIds = waiting.map(({ id }) => Number(id));
  while (userIds.length > 0) {
    const ids = userIds.splice(0, USERS).join();
    await queryRunner.query(
      `UPDATE usage_accounts SET total_chats = total_chats ${sign} ${WAITING} WHERE user_id IN (${ids})`,
    );
  }
}
