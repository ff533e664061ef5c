import { getSchemaPath } from '@nestjs/swagger';
import { ApiError } from '../../common/errors/api-error';
import { HealthDto } from './health.dto';

/** A required dependency is unavailable, or the service is shutting down; `details` has the report. */
export class NotReadyError extends ApiError {
  static readonly status = 503;
  static readonly code = 'SERVICE_UNAVAILABLE';
  static readonly summary = 'The service is not ready. `details.checks` shows which dependency is unavailable.';
  static readonly detailsSchema = { $ref: getSchemaPath(HealthDto) };

  static example(): NotReadyError {
    return new NotReadyError({
      status: 'unavailable',
      checks: {
        database: { status: 'down', required: true, detail: 'mysql' },
        redis: { status: 'up', required: false },
        mail: { status: 'up', required: false },
        model_provider: { status: 'up', required: false, detail: 'default (openai-compatible)' },
        knowledge: { status: 'up', required: false, detail: 'words' },
      },
      uptime_seconds: 3600,
      version: '1.0.0',
      commit: '4d0435f8a1b2c3d4e5f60718293a4b5c6d7e8f90',
      built_at: '2026-07-31T12:00:00.000Z',
    });
  }

  constructor(report: HealthDto) {
    super({ ...report }, { retryAfterSeconds: 5, isLogged: false });
  }
}
