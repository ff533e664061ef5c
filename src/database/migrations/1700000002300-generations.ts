import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Half of what the columns of ids can hold: no message has such an id. `FIRST_GENERATION_ID` of the entity is the same. */
const FIRST_ID = 2 ** 30;

/** As the drivers write instants, in UTC. */
const IN_1970 = '1970-01-01 00:00:00.000';

/** Since when living instances have given a sign, and the instant of hiding. What a living instance still writes is left out. */
const HIDDEN = `
  SELECT chat.id AS id
  FROM chats chat
  LEFT JOIN chat_messages reply ON reply.id = chat.active_message_id
  LEFT JOIN chat_reply_owners owner ON owner.id = reply.owner_id AND owner.seen_at > ?
  WHERE chat.deleted_at = ? AND owner.id IS NULL
  LIMIT 500`;

const MOVE = `
  INSERT INTO generations (
    id, user_id, agent_id, prompt_tokens, is_repeatable, content, reasoning, status, finish_reason, model, token_usage, failure,
    owner_id, api_key_id, stop_requested_at, created_at, updated_at, completed_at, first_token_ms, duration_ms, parts, steps
  )
  SELECT reply.id, chat.user_id, chat.agent_id, COALESCE(question.token_count, 0),
    CASE WHEN EXISTS (
      SELECT 1 FROM chat_idempotency_keys kept WHERE kept.user_id = chat.user_id AND kept.message_id = reply.id
    ) THEN 1 ELSE 0 END,
    reply.content, reply.reasoning, reply.status, reply.finish_reason, reply.model, reply.token_usage, reply.failure,
    reply.owner_id, reply.api_key_id, reply.stop_requested_at, reply.created_at, reply.updated_at, reply.completed_at,
    reply.first_token_ms, reply.duration_ms, reply.parts, reply.steps
  FROM chats chat
  INNER JOIN chat_messages reply ON reply.id = chat.last_reply_id
  LEFT JOIN chat_messages question ON question.id = reply.parent_id`;

/**
 * Replies to what programs send whole get a table of their own. They were acted as conversations that had been put into the
 * trash in 1970. Those that are kept for repetitions, and those that a crash has cut, move with their ids. One that an
 * instance of the earlier version still writes stays where it is, and ends there.
 */
export class Generations1700000002300 implements MigrationInterface {
  readonly name = 'Generations1700000002300';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'generations',
        columns: [
          column.id(),
          column.integer('user_id'),
          column.integer('agent_id'),
          column.integer('prompt_tokens'),
          column.boolean('is_repeatable'),
          column.longText('content'),
          column.longText('reasoning', { isNullable }),
          column.text('status', 16),
          column.text('finish_reason', 16, { isNullable }),
          column.text('model', 191, { isNullable }),
          column.longText('token_usage', { isNullable }),
          column.longText('failure', { isNullable }),
          column.text('owner_id', 36, { isNullable }),
          column.integer('api_key_id', { isNullable }),
          column.timestamp('stop_requested_at', { isNullable }),
          column.timestamp('created_at'),
          column.timestamp('updated_at'),
          column.timestamp('completed_at', { isNullable }),
          column.integer('first_token_ms', { isNullable }),
          column.integer('duration_ms', { isNullable }),
          column.longText('parts', { isNullable }),
          column.longText('steps', { isNullable }),
        ],
        indices: [
          { name: 'ix_generations_status_user_id', columnNames: ['status', 'user_id'] },
          { name: 'ix_generations_user_id', columnNames: ['user_id'] },
          { name: 'ix_generations_updated_at', columnNames: ['updated_at'] },
        ],
      }),
    );
    await this.beginIds(queryRunner);
    await this.moveHidden(queryRunner);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('generations');
  }

  private async moveHidden(queryRunner: QueryRunner): Promise<void> {
    for (;;) {
      const hidden = (await queryRunner.query(HIDDEN, [livingSince(), IN_1970])) as { id: number }[];
      if (hidden.length === 0) {
        return;
      }
      const ids = hidden.map(({ id }) => Number(id)).join();
      // Where an earlier start was cut behind this statement, it has nothing left to do.
      const isMissing = 'NOT EXISTS (SELECT 1 FROM generations moved WHERE moved.id = reply.id)';
      await queryRunner.query(`${MOVE} WHERE chat.id IN (${ids}) AND ${isMissing}`);
      await queryRunner.query(`UPDATE chat_idempotency_keys SET chat_id = 0 WHERE chat_id IN (${ids})`);
      await queryRunner.query(`DELETE FROM chat_messages WHERE chat_id IN (${ids})`);
      await queryRunner.query(`DELETE FROM chats WHERE id IN (${ids})`);
    }
  }

  private async beginIds(queryRunner: QueryRunner): Promise<void> {
    const isMysql = queryRunner.dataSource.driver.options.type !== 'better-sqlite3';
    await queryRunner.query(
      isMysql
        ? `ALTER TABLE generations AUTO_INCREMENT = ${FIRST_ID}`
        : `INSERT INTO sqlite_sequence (name, seq) VALUES ('generations', ${FIRST_ID - 1})`,
    );
  }
}

/** An instance that gave no sign of life for ten seconds is dead. */
function livingSince(): string {
  return new Date(Date.now() - 10_000).toISOString().replace('T', ' ').replace('Z', '');
}
