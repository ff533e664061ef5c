import { ApiProperty } from '@nestjs/swagger';
import { LOG_LEVELS, type LogLevel } from '../../../common/logging/log-level';

export const INSTANCE_STATES = ['starting', 'serving', 'draining', 'lost'] as const;

/** How late an instance is. */
export class InstanceLagDto {
  /** Milliseconds that its last heartbeat took in the database. @example 2.1 */
  database_ms: number;

  /** Milliseconds by which its clock is ahead of the database's. @example 3 */
  clock_ms: number;

  /** Longest delay of its event loop between two heartbeats, in milliseconds. @example 1.4 */
  event_loop_ms: number;
}

/** How much an instance does. */
export class InstanceLoadDto {
  /** Replies that it writes. @example 4 */
  replies: number;

  /** HTTP requests between the last two heartbeats, per minute. @example 310 */
  requests_per_minute: number;

  /** Share of one processor between the last two heartbeats. @example 0.12 */
  cpu: number;

  /** Memory of the process. @example 183500800 */
  rss_bytes: number;

  /** Open HTTP connections. @example 25 */
  connections: number;
}

/** A process of the service. Members are null while an earlier version without reports runs. */
export class InstanceDto {
  /** Random, new with each start. @example "0f9a3a52-6f0e-4cde-9d4b-0f4f2a5b7c11" */
  id: string;

  /** @example "chat-7c9f" */
  hostname: string | null;

  /** @example "1.0.0" */
  version: string | null;

  /** Null also if the build had no commit. @example "4d0435f8a1b2c3d4e5f60718293a4b5c6d7e8f90" */
  commit: string | null;

  /** Version of Node.js. @example "v24.11.0" */
  node: string | null;

  /** @example "2026-07-31T12:00:00.000Z" */
  started_at: string | null;

  /** When it last wrote a heartbeat, by the clock of the database. @example "2026-07-31T12:30:00.000Z" */
  seen_at: string;

  /** `lost`: without a heartbeat for 15 seconds, because it has ended or cannot reach the database. @example serving */
  @ApiProperty({ enum: INSTANCE_STATES })
  state: (typeof INSTANCE_STATES)[number];

  /** Work that only one instance at a time may do, and that this one does. @example ["ingestion"] */
  leases: string[];

  lag: InstanceLagDto | null;

  load: InstanceLoadDto | null;

  /** Equal for instances with equal settings, apart from `PORT`, `HOST` and `OTEL_RESOURCE_ATTRIBUTES`. @example "5f0c9e2b7a41d3c8e6f0b1a29384756f" */
  config_hash: string | null;

  /** @example info */
  @ApiProperty({ enum: LOG_LEVELS, nullable: true })
  log_level: LogLevel | null;

  /** Whether it answers this request. @example true */
  is_self: boolean;
}
