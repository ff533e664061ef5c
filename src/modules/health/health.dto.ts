import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { MigrationState } from '../../database/connection/database-opening';
import { OUTCOME_REASONS, type OutcomeReason } from '../../integrations/llm/providers/provider-outcome';

/** State of one thing that the service depends on. */
export class DependencyDto {
  /** `up`, `down`, or `absent` when it is not configured. @example up */
  status: 'up' | 'down' | 'absent';

  /** Whether the service is of no use without it. @example true */
  required: boolean;

  /** What it is, such as the database's kind or the providers' names. @example sqlite */
  detail?: string;

  /** Time of its answer in milliseconds. @example 1 */
  latency_ms?: number;

  /** Of the model provider and the mail server: when it was last asked; absent before that. @example "2026-07-31T12:00:00.000Z" */
  checked_at?: string;

  /**
   * Of a model provider that is down: how that showed. Of a database: `migrating` while it is brought to the schema of this
   * version, `migrations_pending` where somebody else has to do that, `not_writable` where it answers but takes no writes.
   * @example "key_refused"
   */
  @ApiProperty({
    enum: [...OUTCOME_REASONS, 'not_configured', 'migrating', 'migrations_pending', 'not_writable'],
    required: false,
  })
  reason?: OutcomeReason | 'not_configured' | 'not_writable' | MigrationState;
}

/** Whether the service can do its work. */
@ApiExtraModels(DependencyDto)
export class HealthDto {
  /** `ok`; the 503 for the other case has `unavailable` in its details. @example ok */
  status: 'ok' | 'unavailable';

  /** By dependency: database, redis, mail, model_provider. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(DependencyDto) },
    example: { database: { status: 'up', required: true, detail: 'sqlite', latency_ms: 1 } },
  })
  checks: Record<string, DependencyDto>;

  /** Seconds since the process started. @example 3600 */
  uptime_seconds: number;

  /** Of the service, as in `/openapi.json`. @example "1.0.0" */
  version: string;
}

/** The process runs and answers. */
export class LivenessDto {
  /** Always `ok`. @example ok */
  status: 'ok';
}
