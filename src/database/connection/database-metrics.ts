import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { LoadGate } from '../../common/load/load-gate';
import { gauge } from '../../common/metrics/metrics';
import type { ServicePool } from '../mysql/mysql-driver';

/** The members of mysql2's pool that are counted. Its types do not include them. */
interface CountedPool {
  _allConnections: { length: number };
  _freeConnections: { length: number };
  _connectionQueue: { length: number };
}

/**
 * The figures of MySQL's connections in /metrics: those of reads and those of transactions together. Who waits for one of them is
 * a sign of overload too, because the event loop may be idle then.
 */
@Injectable()
export class DatabaseMetrics {
  constructor(@InjectDataSource() { driver }: DataSource, gate: LoadGate) {
    gate.addSign(() => (driver as { pool?: ServicePool }).pool?.longestWait() ?? 0);
    const sum = (valueOf: (pool: CountedPool) => number): number => {
      // The pools exist only after the connection is made.
      const { pool } = driver as { pool?: CountedPool & { transactions: CountedPool } };
      return pool === undefined ? 0 : valueOf(pool) + valueOf(pool.transactions);
    };
    gauge('database_connections_used', 'Connections of the pool that are in use (MySQL)', () =>
      sum(({ _allConnections, _freeConnections }) => _allConnections.length - _freeConnections.length),
    );
    gauge('database_connections_waiting', 'Requests that wait for a connection of the pool (MySQL)', () =>
      sum(({ _connectionQueue }) => _connectionQueue.length),
    );
  }
}
