import { timingSafeEqual } from 'node:crypto';
import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { collectDefaultMetrics, register } from 'prom-client';
import { BUILD } from '../../common/build-facts';
import { gauge } from '../../common/metrics/metrics';
import { TokenInvalidError, UnauthorizedError } from '../../common/security/security.errors';
import { AppConfig } from '../../config/app.config';
import { MetricsConfig } from './metrics.config';

/** The metrics of the process in Prometheus's text format. */
@Injectable()
export class MetricsService implements OnApplicationBootstrap {
  private readonly logger = new Logger(MetricsService.name);

  constructor(
    private readonly config: MetricsConfig,
    private readonly app: AppConfig,
  ) {
    // The metrics belong to the process, and tests start several applications in one process.
    if (!register.getSingleMetric('process_cpu_user_seconds_total')) {
      collectDefaultMetrics();
    }
    const labels = { version: BUILD.version, commit: BUILD.commit ?? '', node: process.version };
    gauge('build_info', 'The running build; the value is always 1', () => [{ labels, value: 1 }], [
      'version',
      'commit',
      'node',
    ]);
  }

  onApplicationBootstrap(): void {
    if (this.app.isProduction && this.config.METRICS_TOKEN === null) {
      this.logger.warn('METRICS_TOKEN is not set: anybody who reaches the service can read /metrics.');
    }
  }

  /** @throws UnauthorizedError, TokenInvalidError if METRICS_TOKEN is set and the caller does not send it */
  async read(authorization: string | undefined): Promise<string> {
    const expected = this.config.METRICS_TOKEN;
    if (expected !== null) {
      if (authorization === undefined) {
        throw new UnauthorizedError();
      }
      if (!isSame(authorization, `Bearer ${expected}`)) {
        throw new TokenInvalidError();
      }
    }
    return register.metrics();
  }
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
