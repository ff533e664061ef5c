import type { LoggerService } from '@nestjs/common';
import { driverCode } from './database.errors';

/** Pause before the log repeats itself, in milliseconds. */
const REPEAT_MILLISECONDS = 60_000;

/** What the service was doing when its database could not be opened. */
export type OpeningStage = 'connecting' | 'migrating' | 'preparing';

/** Codes of the system and the driver by which a server that is away is known at any stage. */
const AWAY = /^(E[A-Z]+|EAI_AGAIN|PROTOCOL_\w+)$/;

/** Tells why the database cannot be opened: at once when the reason is another one, otherwise once a minute. */
export class OpeningFailures {
  private told = '';
  /** Milliseconds of the monotonic clock. */
  private toldAt = 0;

  constructor(private readonly logger: Pick<LoggerService, 'error'>) {}

  tell(stage: OpeningStage, error: unknown): void {
    const failure = openingFailure(stage, error);
    if (failure !== this.told || performance.now() - this.toldAt > REPEAT_MILLISECONDS) {
      this.logger.error(failure);
      this.told = failure;
      this.toldAt = performance.now();
    }
  }
}

/** For the log: what failed, in one sentence with the driver's words and code. */
export function openingFailure(stage: OpeningStage, error: unknown): string {
  const code = driverCode(error);
  const text = wordsOf(error);
  const reason = code === undefined || text.includes(code) ? text : `${text} (${code})`;
  return `The database ${whatFailed(stage, code)}, trying again: ${reason || 'no reason was given'}`;
}

function whatFailed(stage: OpeningStage, code = ''): string {
  if (AWAY.test(code)) {
    return 'cannot be reached';
  }
  switch (stage) {
    case 'connecting':
      // A code of the server's own says that it is there.
      return code.startsWith('ER_') ? 'refuses the connection' : 'cannot be reached';
    case 'migrating':
      return 'cannot be migrated';
    case 'preparing':
      return 'cannot be prepared for the service';
  }
}

/** An address with several numbers fails with a list of reasons, and no words of its own. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(wordsOf).join(', ');
  }
  return error instanceof Error ? error.message : String(error);
}
