import { Injectable, Logger } from '@nestjs/common';
import { HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { execute } from '../../database/statements/run-statement';
import { IdempotencyService } from './idempotency/idempotency.service';

const FORGET = "DELETE FROM generations WHERE status <> 'streaming' AND updated_at <= ?";

/** Removes the keys of repeated requests that have expired, and the replies that were kept for them. */
@Injectable()
export class GenerationRetention {
  private readonly logger = new Logger(GenerationRetention.name);

  constructor(
    private readonly database: Database,
    private readonly idempotency: IdempotencyService,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.purge(),
      onError: (error) => this.logger.warn({ error }, 'Keys of repeated requests could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** Removes everything that is due. */
  async purge(): Promise<null> {
    const { expiredAt } = this.idempotency;
    await this.idempotency.purge();
    await this.database.write((manager) => execute(manager, FORGET, [expiredAt]));
    return null;
  }
}
