import { Injectable, Logger } from '@nestjs/common';
import { In, LessThanOrEqual } from 'typeorm';
import { Clock } from '../../common/clock';
import { MINUTE_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { LogoutTokenEntity } from './sign-in/ending/logout-token.entity';
import { SignInEntity } from './sign-in/sign-in.entity';

/** Rows removed in one transaction. */
const BATCH = 200;

/** Removes sign-ins and logout tokens whose time is over. */
@Injectable()
export class IdentityRetention {
  private readonly logger = new Logger(IdentityRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.clean(),
      onError: (error) => this.logger.warn({ error }, 'Sign-ins that are over could not be removed.'),
      idleMilliseconds: 10 * MINUTE_MILLISECONDS,
    });
  }

  /** Removes a batch of each kind; answers the milliseconds until the next ones, null when nothing is left. */
  async clean(): Promise<number | null> {
    const removed = [await this.remove(SignInEntity), await this.remove(LogoutTokenEntity)];
    return Math.max(...removed) === BATCH ? 0 : null;
  }

  private async remove(entity: typeof SignInEntity | typeof LogoutTokenEntity): Promise<number> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    const rows = await findRows(this.database.manager, entity, { expiresAt }, { members: ['id'], limit: BATCH });
    if (rows.length > 0) {
      const ids = In(rows.map(({ id }) => id));
      await this.database.write((manager) => deleteRows(manager, entity, { id: ids }));
    }
    return rows.length;
  }
}
