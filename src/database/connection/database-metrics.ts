import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { gauge } from '../../common/metrics/metrics';

/** The members of mysql2's pool that are counted. Its types do not include them. */
interface CountedPool {
  _allConnections: { length: number };
  _freeConnections: { length: number };
  _connectionQueue: { length: number };
}

/** The figures of MySQL's connections in /metrics: those of reads and those of transactions together. */
@Injectable()
export class DatabaseMetrics {
  constructor(@InjectDataSource() { driver }: DataSource) {
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
