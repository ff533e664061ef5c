import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { gauge } from '../../common/metrics/metrics';
import { BACKUP_FOLDER, newestBackup } from '../backup/backup-manifest';
import { Database } from '../database';
import { DatabaseConfig } from '../database.config';
import { runStatement } from '../statements/run-statement';
import { connectionSettings } from './connection-settings';

/** The members of mysql2's pool that are counted. Its types do not include them. */
interface CountedPool {
  _allConnections: { length: number };
  _freeConnections: { length: number };
  _connectionQueue: { length: number };
}

const MIGRATIONS = 'SELECT name FROM migrations';

/** The figures of the database in /metrics. Of MySQL's connections those of reads and those of transactions together. */
@Injectable()
export class DatabaseMetrics {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly database: Database,
    { DATABASE_URL }: DatabaseConfig,
  ) {
    gauge('database_connections_used', 'Connections of the pool that are in use (MySQL)', () =>
      this.sum(({ _allConnections, _freeConnections }) => _allConnections.length - _freeConnections.length),
    );
    gauge('database_connections_waiting', 'Requests that wait for a connection of the pool (MySQL)', () =>
      this.sum(({ _connectionQueue }) => _connectionQueue.length),
    );
    gauge('migrations_pending', 'Migrations of this version that the database has not had', () => this.pending());
    const settings = connectionSettings(DATABASE_URL);
    gauge('disk_free_bytes', 'Room on the disk of the database (SQLite; NaN where the disk is that of a server)', () =>
      settings.dialect === 'sqlite' ? freeBytes(dirname(settings.file)) : NaN,
    );
    gauge('backup_age_seconds', 'Since the newest backup in data/backups (NaN when there is none)', async () => {
      const madeAt = await newestBackup(BACKUP_FOLDER);
      return madeAt === null ? NaN : Math.max(0, (Date.now() - madeAt.getTime()) / 1_000);
    });
  }

  private sum(valueOf: (pool: CountedPool) => number): number {
    // The pools exist only after the connection is made.
    const { pool } = this.dataSource.driver as { pool?: CountedPool & { transactions: CountedPool } };
    return pool === undefined ? 0 : valueOf(pool) + valueOf(pool.transactions);
  }

  private async pending(): Promise<number> {
    const { rows } = await runStatement(this.database.manager, MIGRATIONS, []);
    const done = new Set(rows.map(([name]) => name));
    return this.dataSource.migrations.filter((migration) => !done.has(migration.name ?? migration.constructor.name))
      .length;
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
