import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DAY_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { LAST_USE_MILLISECONDS, LastUsedRecorder } from '../../../database/last-used-recorder';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { rowExists } from '../../../database/statements/find';
import { ApiKeyEntity } from './api-key.entity';

/** How long reports can refer to a revoked key. */
const KEPT_MILLISECONDS = 90 * DAY_MILLISECONDS;

/** Stores once a minute which keys are in use, and removes keys that were revoked long ago. */
@Injectable()
export class ApiKeyRetention implements OnModuleDestroy {
  private readonly logger = new Logger(ApiKeyRetention.name);
  private readonly uses: LastUsedRecorder;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    ownClock: Clock,
    background: BackgroundWork,
  ) {
    this.uses = new LastUsedRecorder(database, ownClock, ApiKeyEntity);
    background.add({
      step: () => this.keepUp(),
      onError: (error) => this.logger.warn({ error }, 'API keys could not be kept up to date.'),
      idleMilliseconds: LAST_USE_MILLISECONDS,
    });
  }

  /** Records that a request used the key. */
  note(id: number): void {
    this.uses.note(id);
  }

  /** The key including a last use that is not stored yet, so that a newly used key does not appear unused. */
  withLastUse(key: ApiKeyEntity): ApiKeyEntity {
    const noted = this.uses.notedOf(key.id);
    // Another instance may have stored a later use.
    const isLater = noted !== null && (key.lastUsedAt === null || noted > key.lastUsedAt);
    return isLater ? { ...key, lastUsedAt: noted } : key;
  }

  async onModuleDestroy(): Promise<void> {
    if (this.database.isReady) {
      await this.uses
        .flush()
        .catch((error: unknown) => this.logger.warn({ error }, 'The last uses of API keys are lost.'));
    }
  }

  /** Stores the recorded uses and removes old keys. */
  async keepUp(): Promise<null> {
    await this.uses.flush();
    await this.removeRevoked();
    return null;
  }

  private async removeRevoked(): Promise<void> {
    const revokedAt = LessThanOrEqual(new Date(this.clock.now().getTime() - KEPT_MILLISECONDS));
    if (await rowExists(this.database.manager, ApiKeyEntity, { revokedAt })) {
      await this.database.write((manager) => deleteRows(manager, ApiKeyEntity, { revokedAt }));
    }
  }
}
