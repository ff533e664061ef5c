import { constants } from 'node:os';
import type { INestApplication, ShutdownSignal } from '@nestjs/common';
import { ServiceLogger } from '../common/logging/service-logger';
import { SECOND_MILLISECONDS } from '../common/time';
import { AppConfig } from '../config/app.config';
import { STOP_SIGNALS } from './stop-signals';

/** One Ctrl+C may arrive twice, from the terminal and from npm, within this time. */
const SAME_SIGNAL_MILLISECONDS = 200;

/**
 * After the grace period, a stop takes less than this, even with a database that hangs. Only a token refresh may take
 * longer.
 */
const LONGEST_STOP_MILLISECONDS = 20_000;

/** Ends the process immediately at a second signal to stop, or if the first one has not ended it in time. */
export function endAtOnceWhenLate(app: INestApplication): void {
  const logger = app.get(ServiceLogger);
  const limit = app.get(AppConfig).SHUTDOWN_GRACE_SECONDS * SECOND_MILLISECONDS + LONGEST_STOP_MILLISECONDS;
  let firstAt: number | undefined;
  const end = (signal: ShutdownSignal): void => {
    logger.warn('The service ends at once. The next start finds what was under way.');
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        setTimeout(end, limit, signal).unref();
      } else if (performance.now() - firstAt > SAME_SIGNAL_MILLISECONDS) {
        end(signal);
      }
    });
  }
}
