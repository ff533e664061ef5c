import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Attention, type AttentionItem } from '../../common/attention/attention';
import { LoadGate } from '../../common/load/load-gate';
import { gauge } from '../../common/metrics/metrics';
import { DAY_MILLISECONDS } from '../../common/time';
import { BACKUP_FOLDER, newestBackup } from '../backup/backup-manifest';
import { Database } from '../database';
import { pendingMigrations } from '../migrating/migrate';
import type { ServicePool } from '../mysql/mysql-driver';

/** After this time the newest backup is too old. A service without backups here has them elsewhere. */
const OLD_BACKUP_MILLISECONDS = 2 * DAY_MILLISECONDS;

/** The members of mysql2's pool that are counted. Its types do not include them. */
interface CountedPool {
  _allConnections: { length: number };
  _freeConnections: { length: number };
  _connectionQueue: { length: number };
}

/**
 * The figures of the database in /metrics. For MySQL, connections of reads and transactions are counted together.
 * Waiting for a connection is a sign of overload too, because the event loop may be idle then.
 */
@Injectable()
export class DatabaseMetrics {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    database: Database,
    gate: LoadGate,
    attention: Attention,
  ) {
    gate.addSign(() => (dataSource.driver as { pool?: ServicePool }).pool?.longestWait() ?? 0);
    gauge('database_connections_used', 'Connections of the pool that are in use (MySQL)', () =>
      this.sum(({ _allConnections, _freeConnections }) => _allConnections.length - _freeConnections.length),
    );
    gauge('database_connections_waiting', 'Requests that wait for a connection of the pool (MySQL)', () =>
      this.sum(({ _connectionQueue }) => _connectionQueue.length),
    );
    gauge('migrations_pending', 'Migrations of this version that the database has not had', () => this.pending());
    gauge(
      'disk_free_bytes',
      'Room on the disk of the database (SQLite; NaN where the disk is that of a server)',
      async () => (await database.freeBytes()) ?? NaN,
    );
    gauge('backup_age_seconds', 'Since the newest backup in data/backups (NaN when there is none)', async () => {
      const madeAt = await newestBackup(BACKUP_FOLDER);
      return madeAt === null ? NaN : Math.max(0, (Date.now() - madeAt.getTime()) / 1_000);
    });
    attention.add(oldBackup);
  }

  private sum(valueOf: (pool: CountedPool) => number): number {
    // The pools exist only after the connection is made.
    const { pool } = this.dataSource.driver as { pool?: CountedPool & { transactions: CountedPool } };
    return pool === undefined ? 0 : valueOf(pool) + valueOf(pool.transactions);
  }

  /** Also while the service waits for the migrations to be run elsewhere, and so does not serve requests. */
  private async pending(): Promise<number> {
    return this.dataSource.isInitialized ? (await pendingMigrations(this.dataSource, true)).length : NaN;
  }
}

async function oldBackup(): Promise<AttentionItem[]> {
  const since = await newestBackup(BACKUP_FOLDER);
  const age = since === null ? 0 : Date.now() - since.getTime();
  if (age < OLD_BACKUP_MILLISECONDS) return [];
  return [{ kind: 'backup_old', since, count: Math.floor(age / DAY_MILLISECONDS), target: null }];
}
