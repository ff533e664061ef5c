import type { EntityManager } from 'typeorm';
import type { UtcDay } from '../../../common/utc-day';
import { insertReturning } from '../../../database/statements/insert';
import { execute } from '../../../database/statements/run-statement';
import { addToCounters } from '../../../database/statements/upsert-counters';
import { UsageEntryEntity } from '../usage-entry.entity';

/** A user's usage of one day's quotas. */
export interface DayUse {
  messages: number;
  tokens: number;
}

/** Limits of one day. Usage may reach a limit but not exceed it. */
type DayLimits = DayUse;

// Counters of an earlier day no longer count. `day` is set last, because MySQL evaluates assignments from left to
// right.
const MESSAGES_TODAY = 'CASE WHEN day < ? THEN 0 ELSE day_messages END';
const TOKENS_TODAY = 'CASE WHEN day < ? THEN 0 ELSE day_tokens END';
const MOVE_DAY = 'day = CASE WHEN day < ? THEN ? ELSE day END';

const TAKE_MESSAGE = `UPDATE usage_accounts SET total_messages = total_messages + 1,
  day_messages = ${MESSAGES_TODAY} + 1, day_tokens = ${TOKENS_TODAY}, ${MOVE_DAY}
  WHERE user_id = ? AND ${MESSAGES_TODAY} < ? AND ${TOKENS_TODAY} < ?`;

const RETAKE_MESSAGE = `UPDATE usage_accounts SET
  day_messages = ${MESSAGES_TODAY} + 1, day_tokens = ${TOKENS_TODAY}, ${MOVE_DAY}
  WHERE user_id = ?`;

const ADD_REPLY = `UPDATE usage_accounts SET total_messages = total_messages + ?, total_tokens = total_tokens + ?,
  day_messages = ${MESSAGES_TODAY} - CASE WHEN day = ? AND day >= ? AND day_messages > 0 THEN ? ELSE 0 END,
  day_tokens = ${TOKENS_TODAY} + ?, ${MOVE_DAY}
  WHERE user_id = ?`;

const ADD_MESSAGES = `UPDATE usage_accounts SET total_messages = total_messages + ?,
  day_messages = ${MESSAGES_TODAY}, day_tokens = ${TOKENS_TODAY}, ${MOVE_DAY}
  WHERE user_id = ?`;

const USED_TODAY = ['day_messages', 'day_tokens']
  .map((column) => `(SELECT ${column} FROM usage_accounts WHERE user_id = ?)`)
  .join(', ');

/**
 * Takes one message from the user's daily quota and writes its row. This is a single conditional statement, so that
 * parallel writers never exceed the limit.
 *
 * @returns the usage including this message; null if a limit is reached, or if the user has no row yet (see
 * `openAccount`)
 */
export async function takeMessage(
  manager: EntityManager,
  entry: UsageEntryEntity,
  limits: DayLimits,
): Promise<DayUse | null> {
  const { userId, day } = entry;
  const parameters = [day, day, day, day, userId, day, limits.messages, day, limits.tokens];
  if ((await execute(manager, TAKE_MESSAGE, parameters)).affected !== 1) {
    return null;
  }
  const statement = { sql: USED_TODAY, values: [userId, userId] };
  const [messages, tokens] = await insertReturning(manager, UsageEntryEntity, entry, statement);
  return { messages: Number(messages), tokens: Number(tokens) };
}

/** Takes a message again that was returned to the quota. Its row and the totals already include it. */
export async function retakeMessage(manager: EntityManager, userId: number, day: UtcDay): Promise<void> {
  await execute(manager, RETAKE_MESSAGE, [day, day, day, day, userId]);
}

/**
 * Counts a stored reply. `messages` is 0 if only its tokens count. `returned` (0 or 1) messages are returned to the
 * quota of `startedDay`, unless that day is over.
 *
 * @returns false if the user has no row yet
 */
export async function addReply(
  manager: EntityManager,
  userId: number,
  day: UtcDay,
  reply: { messages: number; tokens: number; startedDay: UtcDay; returned: number },
): Promise<boolean> {
  const { messages, tokens, startedDay, returned } = reply;
  const { affected } = await execute(manager, ADD_REPLY, [
    ...[messages, tokens, day, startedDay, day, returned],
    ...[day, tokens, day, day, userId],
  ]);
  return affected === 1;
}

/** Counts stored messages that take nothing from the quota. @returns false if the user has no row yet */
export async function addMessages(
  manager: EntityManager,
  userId: number,
  day: UtcDay,
  count: number,
): Promise<boolean> {
  const { affected } = await execute(manager, ADD_MESSAGES, [count, day, day, day, day, userId]);
  return affected === 1;
}

/** Creates the user's row if it does not exist. */
export function openAccount(manager: EntityManager, userId: number): Promise<void> {
  return addToCounters(manager, 'usage_accounts', { user_id: userId }, { total_chats: 0 });
}
