import { createConnection } from 'mysql2/promise';
import { OWNER_LEASE_MILLISECONDS } from '../../src/modules/generation/elsewhere/instance-heartbeat';
import { databaseEngine } from './servers/test-database';

/**
 * Ages the signs of life that instances have left in a database by as much as makes dead ones known for dead. Those that
 * live give a new one soon. On SQLite nobody waits for them.
 */
export async function endOwnerLeases(databaseUrl: string): Promise<void> {
  if (databaseEngine() === 'sqlite') {
    return;
  }
  const connection = await createConnection(databaseUrl.replace(/\?.*/, ''));
  await connection.query('UPDATE chat_reply_owners SET seen_at = seen_at - INTERVAL ? MICROSECOND', [
    OWNER_LEASE_MILLISECONDS * 1_000,
  ]);
  await connection.end();
}
