import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { In, LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SessionEntity } from './session.entity';

/** How exact `last_used_at` is. */
const FLUSH_MILLISECONDS = MINUTE_MILLISECONDS;

/** Sessions that are noted between two writes at most. Further ones are noted after the next write. */
const MOST_NOTED = 20_000;

const BATCH = 500;

/**
 * Remembers which sessions are in use and stores that once a minute, so that no request waits for it. Also removes
 * sessions that have expired.
 */
@Injectable()
export class SessionRetention implements OnModuleDestroy {
  private readonly logger = new Logger(SessionRetention.name);
  private readonly used = new Set<number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.keepUp(),
      onError: (error) => this.logger.warn({ error }, 'Sessions could not be kept up to date.'),
      idleMilliseconds: FLUSH_MILLISECONDS,
    });
  }

  /** A request used the session. */
  note(sessionId: number): void {
    if (this.used.size < MOST_NOTED) {
      this.used.add(sessionId);
    }
  }

  async onModuleDestroy(): Promise<void> {
    if (this.database.isReady) {
      await this.flush().catch((error: unknown) => this.logger.warn({ error }, 'The last uses of sessions are lost.'));
    }
  }

  /** Stores what was noted and removes what has expired. */
  async keepUp(): Promise<null> {
    await this.flush();
    await this.removeExpired();
    return null;
  }

  private async flush(): Promise<void> {
    const ids = [...this.used];
    this.used.clear();
    const lastUsedAt = this.clock.now();
    for (let start = 0; start < ids.length; start += BATCH) {
      const batch = ids.slice(start, start + BATCH);
      await this.database.write((manager) => manager.update(SessionEntity, { id: In(batch) }, { lastUsedAt }));
    }
  }

  private async removeExpired(): Promise<void> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    if (await this.database.repository(SessionEntity).existsBy({ expiresAt })) {
      await this.database.write((manager) => manager.delete(SessionEntity, { expiresAt }));
    }
  }
}
