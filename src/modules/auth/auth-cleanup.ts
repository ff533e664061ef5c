import { Injectable, Logger, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { BackgroundLoop } from '../../common/background/background-loop';
import { Clock } from '../../common/clock';
import { Database } from '../../database/database';
import { AttemptLogEntity } from './entities/attempt-log.entity';
import { VerificationCodeEntity } from './entities/verification-code.entity';

const HOUR_MILLISECONDS = 3_600_000;

/** Removes what has expired, once an hour. Codes stay an hour longer, because the pause between two is told by them. */
@Injectable()
export class AuthCleanup implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AuthCleanup.name);
  private readonly loop = new BackgroundLoop({
    step: () => this.clean(),
    onError: (error) => this.logger.warn(`Expired codes could not be removed: ${String(error)}`),
    idleMilliseconds: HOUR_MILLISECONDS,
  });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    database.onReady(() => Promise.resolve(this.loop.wake()));
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }

  /** Removes what has expired. */
  async clean(): Promise<null> {
    if (this.database.isReady) {
      const now = this.clock.now();
      const anHourAgo = new Date(now.getTime() - HOUR_MILLISECONDS);
      await this.database.write(async (manager) => {
        await manager.delete(VerificationCodeEntity, { expiresAt: LessThan(anHourAgo) });
        await manager.delete(AttemptLogEntity, { expiresAt: LessThan(now) });
      });
    }
    return null;
  }
}
