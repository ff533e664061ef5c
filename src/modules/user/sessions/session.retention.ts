import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { LAST_USE_MILLISECONDS, LastUsedRecorder } from '../../../database/last-used-recorder';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { rowExists } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { SessionEntity } from './session.entity';

/** Once a minute, stores which sessions are in use, and removes expired sessions and assertions. */
@Injectable()
export class SessionRetention implements OnModuleDestroy {
  private readonly logger = new Logger(SessionRetention.name);
  private readonly uses: LastUsedRecorder;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    ownClock: Clock,
    background: BackgroundWork,
  ) {
    this.uses = new LastUsedRecorder(database, ownClock, SessionEntity);
    background.add({
      step: () => this.keepUp(),
      onError: (error) => this.logger.warn({ error }, 'Sessions could not be kept up to date.'),
      idleMilliseconds: LAST_USE_MILLISECONDS,
    });
  }

  /** Records that a request used the session. */
  note(sessionId: number): void {
    this.uses.note(sessionId);
  }

  async onModuleDestroy(): Promise<void> {
    if (this.database.isReady) {
      await this.uses
        .flush()
        .catch((error: unknown) => this.logger.warn({ error }, 'The last uses of sessions are lost.'));
    }
  }

  /** Stores recorded uses and removes expired data. */
  async keepUp(): Promise<null> {
    await this.uses.flush();
    await this.removeExpired();
    await this.removeAssertions();
    return null;
  }

  private async removeExpired(): Promise<void> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    if (await rowExists(this.database.manager, SessionEntity, { expiresAt })) {
      await this.database.write((manager) => deleteRows(manager, SessionEntity, { expiresAt }));
    }
  }

  private async removeAssertions(): Promise<void> {
    const over = { assertionEndsAt: LessThanOrEqual(this.clock.now()) };
    if (await rowExists(this.database.manager, SessionEntity, over)) {
      const nothing = { assertion: null, assertionEndsAt: null };
      await this.database.write((manager) => updateRows(manager, SessionEntity, nothing, over));
    }
  }
}
