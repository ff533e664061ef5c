import { ApiProperty } from '@nestjs/swagger';
import { LOG_LEVELS, type LogLevel } from '../../../common/logging/log-level';

export const INSTANCE_STATES = ['starting', 'serving', 'draining', 'lost'] as const;

/** The delays of an instance. */
export class InstanceLagDto {
  /** Milliseconds that its last heartbeat took in the database. @example 2.1 */
  @ApiProperty({ type: 'number', format: 'double' })
  database_ms: number;

  /** Milliseconds by which its clock is ahead of the database's. @example 3 */
  clock_ms: number;

  /** Longest delay of its event loop between two heartbeats, in milliseconds. @example 1.4 */
  @ApiProperty({ type: 'number', format: 'double' })
  event_loop_ms: number;
}

/** The load of an instance. */
export class InstanceLoadDto {
  /** Replies in progress. @example 4 */
  replies: number;

  /** HTTP requests between the last two heartbeats, per minute. @example 310 */
  requests_per_minute: number;

  /** CPU use between the last two heartbeats; 1 is one full core. @example 0.12 */
  @ApiProperty({ type: 'number', format: 'double' })
  cpu: number;

  /** Resident memory of the process, in bytes. @example 183500800 */
  rss_bytes: number;

  /** Open HTTP connections. @example 25 */
  connections: number;
}

/** A process of the service. Fields are null for an earlier version that does not report them. */
export class InstanceDto {
  /** Id of the instance. Each start has another one. @example "0f9a3a52-6f0e-4cde-9d4b-0f4f2a5b7c11" */
  id: string;

  /** Host name of the machine or container. @example "chat-7c9f" */
  hostname: string | null;

  /** Version of the service. @example "1.0.0" */
  version: string | null;

  /** Commit of the build. Also null if the build did not record it. @example "4d0435f8a1b2c3d4e5f60718293a4b5c6d7e8f90" */
  commit: string | null;

  /** Version of Node.js. @example "v24.11.0" */
  node: string | null;

  /** When it started. @example "2026-07-31T12:00:00.000Z" */
  started_at: string | null;

  /** When it last wrote a heartbeat, by the clock of the database. @example "2026-07-31T12:30:00.000Z" */
  seen_at: string;

  /** `lost`: without a heartbeat for 15 seconds, because it has ended or cannot reach the database. @example serving */
  @ApiProperty({ enum: INSTANCE_STATES })
  state: (typeof INSTANCE_STATES)[number];

  /** Background work that only one instance at a time may do, and that this one has claimed. @example ["ingestion"] */
  leases: string[];

  /** Its delays. */
  lag: InstanceLagDto | null;

  /** Its load. */
  load: InstanceLoadDto | null;

  /** Equal for instances with equal variables, apart from `PORT`, `HOST` and `OTEL_RESOURCE_ATTRIBUTES`. @example "5f0c9e2b7a41d3c8e6f0b1a29384756f" */
  config_hash: string | null;

  /** Its current log level. @example info */
  @ApiProperty({ enum: LOG_LEVELS, nullable: true })
  log_level: LogLevel | null;

  /** Whether it answers this request. @example true */
  is_self: boolean;
}
