import { Injectable, Logger } from '@nestjs/common';
import { In } from 'typeorm';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { SharedClock } from '../../database/shared-clock';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { BudgetWindowEntity } from './windows/budget-window.entity';

/** Days that past windows are kept. No request runs that long, so they have no holds. */
const KEPT_DAYS = 400;

/** Rows per transaction. Other writers get their turn between two transactions. */
const BATCH = 200;

/** Removes windows that ended long ago. With a daily limit per user, they would fill the disk. */
@Injectable()
export class BudgetRetention {
  private readonly logger = new Logger(BudgetRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.purge(),
      onError: (error) => this.logger.warn({ error }, 'Old windows of budgets could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** Removes all windows that are due. */
  async purge(): Promise<null> {
    const before = new Date(this.clock.now().getTime() - KEPT_DAYS * DAY_MILLISECONDS);
    const due = { condition: 'ends_at <= ?', parameters: [before] };
    for (;;) {
      const rows = await findRows(this.database.manager, BudgetWindowEntity, due, { members: ['id'], limit: BATCH });
      if (rows.length === 0) {
        return null;
      }
      const ids = rows.map(({ id }) => id);
      await this.database.write((manager) => deleteRows(manager, BudgetWindowEntity, { id: In(ids) }));
    }
  }
}
