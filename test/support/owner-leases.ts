import { createConnection } from 'mysql2/promise';
import { OWNER_LEASE_MILLISECONDS } from '../../src/modules/generation/cluster/instance-heartbeat';
import { databaseEngine } from './servers/test-database';

/**
 * Ages the leases of instances in a database so that dead ones count as dead. Live instances soon renew theirs. On
 * SQLite no code waits for them.
 *
 * @param owners only these
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

/** The instances that have a lease. None on SQLite. */
export function ownersIn(databaseUrl: string): Promise<string[]> {
  return idsOf(databaseUrl, 'SELECT id FROM chat_reply_owners');
}

/** The instances that write replies, each once for every reply. None on SQLite. */
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
