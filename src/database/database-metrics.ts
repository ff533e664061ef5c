import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { gauge } from '../common/metrics/metrics';

/** The members of mysql2's pool that are counted. Its types do not include them. */
interface Pool {
  _allConnections: { length: number };
  _freeConnections: { length: number };
  _connectionQueue: { length: number };
}

/** The figures of MySQL's connection pool in /metrics. */
@Injectable()
export class DatabaseMetrics {
  constructor(@InjectDataSource() { driver }: DataSource) {
    // The pool exists only after the connection is made.
    const pool = (): Pool | undefined => (driver as { pool?: Pool }).pool;
    gauge('database_connections_used', 'Connections of the pool that are in use (MySQL)', () =>
      valueOf(pool(), ({ _allConnections, _freeConnections }) => _allConnections.length - _freeConnections.length),
    );
    gauge('database_connections_waiting', 'Requests that wait for a connection of the pool (MySQL)', () =>
      valueOf(pool(), ({ _connectionQueue }) => _connectionQueue.length),
    );
  }
}

function valueOf(pool: Pool | undefined, read: (pool: Pool) => number): number {
  return pool === undefined ? 0 : read(pool);
}
