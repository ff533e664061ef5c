import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { MigrationState } from '../../database/connection/database-opening';
import { OUTCOME_REASONS, type OutcomeReason } from '../../integrations/llm/providers/provider-outcome';

/** State of one dependency of the service. */
export class DependencyDto {
  /** `up`, `down`, or `absent` if it is not configured. @example up */
  status: 'up' | 'down' | 'absent';

  /** Whether the service cannot work without it. @example true */
  required: boolean;

  /** Kind of the database, names of the providers, or how collections are searched: `words` or `hybrid`. @example sqlite */
  detail?: string;

  /** Its response time in milliseconds. @example 1 */
  latency_ms?: number;

  /**
   * For the model provider, the mail server and the embedding model (`knowledge`): when it was last checked; absent
   * before that.
   *
   * @example "2026-07-31T12:00:00.000Z"
   */
  checked_at?: string;

  /**
   * For a model provider or an embedding model that is down: the cause. For a database: `migrating` while this instance migrates it,
   * `migrations_pending` if another process has to migrate it, `not_writable` if it answers but takes no writes. For `retention`: `paused`.
   *
   * @example "key_refused"
   */
  @ApiProperty({
    enum: [...OUTCOME_REASONS, 'not_configured', 'migrating', 'migrations_pending', 'not_writable', 'paused'],
    required: false,
  })
  reason?: OutcomeReason | 'not_configured' | 'not_writable' | 'paused' | MigrationState;
}

/** Whether the service can do its work. */
@ApiExtraModels(DependencyDto)
export class HealthDto {
  /** `ok`; otherwise the response is a 503 with `unavailable` in its details. @example ok */
  status: 'ok' | 'unavailable';

  /** State by dependency: database, redis, mail, model_provider, knowledge; and retention, while it is paused. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(DependencyDto) },
    example: { database: { status: 'up', required: true, detail: 'sqlite', latency_ms: 1 } },
  })
  checks: Record<string, DependencyDto>;

  /** Seconds since the process started. @example 3600 */
  uptime_seconds: number;

  /** Version of the service, as in `/openapi.json`. @example "1.0.0" */
  version: string;

  /** The commit of which the service was built. Null if unknown. @example "4d0435f8a1b2c3d4e5f60718293a4b5c6d7e8f90" */
  commit: string | null;

  /** When the service was built. Null without a build. @example "2026-07-31T12:00:00.000Z" */
  built_at: string | null;
}

/** The process runs and responds. */
export class LivenessDto {
  /** Always `ok`. @example ok */
  status: 'ok';
}
