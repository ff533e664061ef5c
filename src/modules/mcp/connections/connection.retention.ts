import { Injectable, Logger } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { removeBatch } from '../../../database/expired-rows';
import { McpConnectionFlowEntity } from './connection-flow.entity';

/** Removes expired flows. */
@Injectable()
export class ConnectionRetention {
  private readonly logger = new Logger(ConnectionRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.clean(),
      onError: (error) => this.logger.warn({ error }, 'Connections that were not finished could not be removed.'),
      idleMilliseconds: 10 * MINUTE_MILLISECONDS,
    });
  }

  /** Removes a batch. Returns the milliseconds until the next one, null if nothing is left. */
  async clean(): Promise<number | null> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    return (await removeBatch(this.database, McpConnectionFlowEntity, { expiresAt })) ? 0 : null;
  }
}
