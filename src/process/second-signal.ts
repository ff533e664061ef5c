import { constants } from 'node:os';
import type { INestApplication } from '@nestjs/common';
import { ServiceLogger } from '../common/logging/service-logger';

/** One Ctrl+C may arrive twice, from the terminal and from npm, within so many milliseconds. */
const SAME_SIGNAL_MILLISECONDS = 200;

/** Ends the process immediately at a second signal to stop. */
export function endAtSecondSignal(app: INestApplication): void {
  const logger = app.get(ServiceLogger);
  let firstAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > SAME_SIGNAL_MILLISECONDS) {
        logger.warn('The service ends at once. The next start finds what was under way.');
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
}
