import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { deleteRows } from '../../../database/statements/delete';
import { insertRow } from '../../../database/statements/insert';
import { PriceBook, type ProviderModel } from '../price-book';
import { MissingPriceEntity } from './missing-price.entity';
import { priceMissing } from './pricing.events';

/**
 * Reports models that were used without a price: once over all instances, until prices change. The report follows after
 * the use is stored, in a separate transaction, which no caller waits for.
 */
@Injectable()
export class MissingPrices implements OnModuleDestroy {
  private readonly logger = new Logger(MissingPrices.name);
  /** The models that were reported, for the price list that was valid then. */
  private reported = new Set<string>();
  private reportedBy: unknown = null;
  private readonly pending = new Set<Promise<void>>();
  /** Created at start, so that work in it does not join the caller's unit of work. */
  private readonly outside = new AsyncResource('MissingPrices');

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly book: PriceBook,
  ) {}

  /** Call it within `Database.write`. */
  noteOnCommit(models: readonly ProviderModel[]): void {
    if (models.length > 0) {
      this.database.onCommit(() => models.forEach((model) => this.note(model)));
    }
  }

  /** Call it within `Database.write` when prices change, so that missing prices are reported again. */
  async forget(manager: EntityManager): Promise<void> {
    await deleteRows(manager, MissingPriceEntity, {});
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.pending);
  }

  private note(model: ProviderModel): void {
    const reporting = this.outside
      .runInAsyncScope(() => this.report(model))
      .catch((error: unknown) => this.logger.warn({ error, ...model }, 'A missing price could not be reported.'))
      .finally(() => this.pending.delete(reporting));
    this.pending.add(reporting);
  }

  private async report({ provider, model }: ProviderModel): Promise<void> {
    const list = await this.book.list();
    if (this.reportedBy !== list) {
      this.reportedBy = list;
      this.reported = new Set();
    }
    const key = JSON.stringify([provider, model]);
    if (this.reported.has(key)) {
      return;
    }
    this.reported.add(key);
    try {
      await this.database.write(async (manager) => {
        await insertRow(manager, MissingPriceEntity, { provider, model, createdAt: this.clock.now() });
        await this.events.publish(manager, priceMissing(null, { provider, model }));
      });
    } catch (error) {
      if (!isUniqueViolation(error)) {
        this.reported.delete(key);
        throw error;
      }
    }
  }
}
