import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { In, LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { ApiKeyEntity } from './api-key.entity';

/** How exact `last_used_at` is. */
const FLUSH_MILLISECONDS = MINUTE_MILLISECONDS;

/** Keys that are noted between two writes at most. Further ones are noted after the next write. */
const MOST_NOTED = 20_000;

const BATCH = 500;

/** How long reports can name a revoked key. */
const KEPT_MILLISECONDS = 90 * DAY_MILLISECONDS;

/** Stores once a minute which keys are in use, so that no request waits for it. Also removes keys that were revoked long ago. */
@Injectable()
export class ApiKeyRetention implements OnModuleDestroy {
  private readonly logger = new Logger(ApiKeyRetention.name);
  private readonly used = new Set<number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.keepUp(),
      onError: (error) => this.logger.warn({ error }, 'API keys could not be kept up to date.'),
      idleMilliseconds: FLUSH_MILLISECONDS,
    });
  }

  /** A request used the key. */
  note(id: number): void {
    if (this.used.size < MOST_NOTED) {
      this.used.add(id);
    }
  }

  async onModuleDestroy(): Promise<void> {
    if (this.database.isReady) {
      await this.flush().catch((error: unknown) => this.logger.warn({ error }, 'The last uses of API keys are lost.'));
    }
  }

  /** Stores what was noted and removes what is no longer needed. */
  async keepUp(): Promise<null> {
    await this.flush();
    await this.removeRevoked();
    return null;
  }

  private async flush(): Promise<void> {
    // In one order, so that no two instances wait for each other.
    const ids = [...this.used].sort((one, other) => one - other);
    this.used.clear();
    const lastUsedAt = this.clock.now();
    for (let start = 0; start < ids.length; start += BATCH) {
      const batch = ids.slice(start, start + BATCH);
      await this.database.write((manager) => manager.update(ApiKeyEntity, { id: In(batch) }, { lastUsedAt }));
    }
  }

  private async removeRevoked(): Promise<void> {
    const revokedAt = LessThanOrEqual(new Date(this.clock.now().getTime() - KEPT_MILLISECONDS));
    if (await this.database.repository(ApiKeyEntity).existsBy({ revokedAt })) {
      await this.database.write((manager) => manager.delete(ApiKeyEntity, { revokedAt }));
    }
  }
}
