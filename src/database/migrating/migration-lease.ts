import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type * as mysql2 from 'mysql2/promise';
import { SECOND_MILLISECONDS } from '../../common/time';
import type { MysqlSettings } from '../connection/connection-settings';
import { DatabaseUnavailableError, isTransactionConflict } from '../database.errors';
import { withOwnConnection } from '../mysql/mysql-server';

/** For how long no other instance may migrate, from the last renewal, by the clock of the database. */
const LEASE_SECONDS = 15;
const RENEW_MILLISECONDS = 4 * SECOND_MILLISECONDS;

/** How long an instance waits while another one migrates, before it gives up. */
const WAIT_MILLISECONDS = 120 * SECOND_MILLISECONDS;
const POLL_MILLISECONDS = 500;

const UNTIL = `DATE_ADD(UTC_TIMESTAMP(3), INTERVAL ${LEASE_SECONDS} SECOND)`;
const TABLE = `CREATE TABLE IF NOT EXISTS migration_lease (
  id integer NOT NULL PRIMARY KEY, owner varchar(36) NULL, held_until datetime(3) NULL
)`;
const ROW = 'INSERT IGNORE INTO migration_lease (id) VALUES (1)';
const TAKE = `UPDATE migration_lease SET owner = ?, held_until = ${UNTIL}
  WHERE id = 1 AND (owner IS NULL OR held_until < UTC_TIMESTAMP(3))`;
const RENEW = `UPDATE migration_lease SET held_until = ${UNTIL} WHERE id = 1 AND owner = ?`;
const RELEASE = 'UPDATE migration_lease SET owner = NULL, held_until = NULL WHERE id = 1 AND owner = ?';

/**
 * Runs `work` while only this process may migrate. The lease is a row and not a lock of the server: clusters do not
 * share locks between their members, and proxies close idle connections. If a process with the lease dies, others wait
 * for `LEASE_SECONDS`. The connection is separate from the pool, which may have only one.
 *
 * @param work calls its argument before each statement; the argument throws if another instance has taken the lease
 * @throws DatabaseUnavailableError if another instance holds the lease for two minutes, or has taken it
 */
export async function withMigrationLease(
  settings: MysqlSettings,
  work: (assertHeld: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await withOwnConnection(settings, async (connection) => {
    const lease = new MigrationLease(connection);
    await lease.take();
    const timer = setInterval(() => void lease.renew().catch(() => undefined), RENEW_MILLISECONDS);
    try {
      await work(() => lease.assertHeld());
    } finally {
      clearInterval(timer);
      // If the connection is lost, the lease expires by itself.
      await lease.release().catch(() => undefined);
    }
  });
}

class MigrationLease {
  private readonly owner = randomUUID();
  /** Milliseconds of the monotonic clock. */
  private renewedAt = 0;

  constructor(private readonly connection: mysql2.Connection) {}

  async take(): Promise<void> {
    await this.connection.query(TABLE);
    await this.connection.query(ROW);
    for (const began = performance.now(); performance.now() - began < WAIT_MILLISECONDS;) {
      if (await this.change(TAKE)) {
        this.renewedAt = performance.now();
        return;
      }
      await delay(POLL_MILLISECONDS);
    }
    throw new DatabaseUnavailableError('Another instance is still migrating the database.');
  }

  async renew(): Promise<void> {
    const now = performance.now();
    if (!(await this.change(RENEW))) {
      throw new DatabaseUnavailableError('Another instance has begun to migrate the database.');
    }
    this.renewedAt = now;
  }

  /** A statement may have taken long, or have blocked a whole cluster. The row then shows the owner of the lease. */
  async assertHeld(): Promise<void> {
    if (performance.now() - this.renewedAt > RENEW_MILLISECONDS * 2) {
      await this.renew();
    }
  }

  release(): Promise<boolean> {
    return this.change(RELEASE);
  }

  /** Whether the row was changed. In a cluster, two concurrent changes may both fail with a collision. */
  private async change(statement: string): Promise<boolean> {
    try {
      const [{ affectedRows }] = await this.connection.query<mysql2.ResultSetHeader>(statement, [this.owner]);
      return affectedRows === 1;
    } catch (error) {
      if (isTransactionConflict(error)) {
        return false;
      }
      throw error;
    }
  }
}
