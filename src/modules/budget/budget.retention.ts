import { Injectable, Logger } from '@nestjs/common';
import { In } from 'typeorm';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { SharedClock } from '../../database/shared-clock';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { BudgetWindowEntity } from './windows/budget-window.entity';

/** Days for which the windows of the past stay. Nothing is held in them by then: no request runs so long. */
const KEPT_DAYS = 400;

/** Rows in one transaction. Between two transactions other writers get their turn. */
const BATCH = 200;

/** Removes windows that ended long ago: a limit for every user's day would fill the disk. */
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

  /** Removes everything that is due. */
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
