import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { growingCache } from '../../../common/cache/growing-cache';
import { DomainEvents } from '../../../common/events/domain-events';
import type { UtcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { execute } from '../../../database/statements/run-statement';
import { quotaExceeded, QuotaExceededEventData } from './usage.events';
import { openAccount } from './usage-account-statements';

/**
 * Publishes an event when a quota is exceeded, once per user, quota and day over all instances. The refusal rolls back
 * the message's transaction, so the event needs its own transaction. The request does not wait for it.
 */
@Injectable()
export class QuotaAlertService implements OnModuleDestroy {
  private readonly logger = new Logger(QuotaAlertService.name);
  private readonly raised = growingCache<string, UtcDay>(10_000);
  private readonly pending = new Set<Promise<void>>();
  /** Created at startup, so that its work does not join the caller's transaction. */
  private readonly outside = new AsyncResource('QuotaAlert');

  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
  ) {}

  raise(data: QuotaExceededEventData, day: UtcDay): void {
    const key = `${data.quota}:${data.user_id}`;
    if (this.raised.get(key) === day) {
      return;
    }
    this.raised.set(key, day);
    const publishing = this.outside
      .runInAsyncScope(() => this.publish(data, day))
      .catch((error: unknown) => {
        this.raised.delete(key);
        this.logger.warn({ error, userId: data.user_id }, 'An exceeded quota could not be reported.');
      })
      .finally(() => this.pending.delete(publishing));
    this.pending.add(publishing);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.pending);
  }

  private async publish(data: QuotaExceededEventData, day: UtcDay): Promise<void> {
    const column = data.quota === 'messages' ? 'messages_alert_day' : 'tokens_alert_day';
    await this.database.write(async (manager) => {
      await openAccount(manager, data.user_id);
      const { affected } = await execute(
        manager,
        `UPDATE usage_accounts SET ${column} = ? WHERE user_id = ? AND ${column} < ?`,
        [day, data.user_id, day],
      );
      if (affected === 1) {
        await this.events.publish(manager, quotaExceeded(data));
      }
    });
  }
}
