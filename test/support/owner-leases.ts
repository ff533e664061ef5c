import { createConnection } from 'mysql2/promise';
import { OWNER_LEASE_MILLISECONDS } from '../../src/modules/generation/elsewhere/instance-heartbeat';
import { databaseEngine } from './servers/test-database';

/**
 * Ages the signs of life that instances have left in a database by as much as makes dead ones known for dead. Those that
 * live give a new one soon. On SQLite nobody waits for them.
 *
 * @param owners only of these
 */
export async function endOwnerLeases(databaseUrl: string, owners?: readonly string[]): Promise<void> {
  if (databaseEngine() === 'sqlite' || owners?.length === 0) {
    return;
  }
  const connection = await createConnection(databaseUrl.replace(/\?.*/, ''));
  await connection.query(
    `UPDATE chat_reply_owners SET seen_at = seen_at - INTERVAL ? MICROSECOND ${owners ? 'WHERE id IN (?)' : ''}`,
    [OWNER_LEASE_MILLISECONDS * 1_000, owners],
  );
  await connection.end();
}

/** The instances that have given signs of life. None on SQLite. */
export function ownersIn(databaseUrl: string): Promise<string[]> {
  return idsOf(databaseUrl, 'SELECT id FROM chat_reply_owners');
}

/** The instances that write replies, each as often as it writes one. None on SQLite. */
export function ownersWriting(databaseUrl: string): Promise<string[]> {
  return idsOf(databaseUrl, "SELECT owner_id AS id FROM chat_messages WHERE status = 'streaming'");
}

async function idsOf(databaseUrl: string, statement: string): Promise<string[]> {
  if (databaseEngine() === 'sqlite') {
    return [];
  }
  const connection = await createConnection(databaseUrl.replace(/\?.*/, ''));
  const [rows] = await connection.query(statement);
  await connection.end();
  return (rows as { id: string }[]).map(({ id }) => id);
}
