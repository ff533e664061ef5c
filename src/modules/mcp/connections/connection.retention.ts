import { Injectable, Logger } from '@nestjs/common';
import { In, LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { McpConnectionFlowEntity } from './connection-flow.entity';

/** Rows removed in one transaction. */
const BATCH = 200;

/** Removes connections under way whose time is over. */
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

  /** Removes a batch; answers the milliseconds until the next one, null when nothing is left. */
  async clean(): Promise<number | null> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    const found = { members: ['id'] as const, limit: BATCH };
    const rows = await findRows(this.database.manager, McpConnectionFlowEntity, { expiresAt }, found);
    if (rows.length > 0) {
      const id = In(rows.map((row) => row.id));
      await this.database.write((manager) => deleteRows(manager, McpConnectionFlowEntity, { id }));
    }
    return rows.length === BATCH ? 0 : null;
  }
}
