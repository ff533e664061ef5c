import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { Lifecycle } from '../../../common/lifecycle';
import { type Amount, formatAmount } from '../../../common/money/amount';
import { toParts } from '../../../common/money/stored-amount';
import type { UtcDay } from '../../../common/utc-day';
import { firstInstantOf, lastInstantOf } from '../../../common/validation/times';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { updateRows } from '../../../database/statements/update';
import { addToCounters } from '../../../database/statements/upsert-counters';
import { type Cost, costOf, PriceBook } from '../../pricing/pricing.api';
import { CostLedger, costOfRow, storedCost, totalCost } from '../costs/cost-ledger';
import { UsageCostEntity } from '../costs/usage-cost.entity';
import { DayClosingService } from '../reports/day-closing.service';
import { utcMonth } from '../reports/utc-month';
import type { RecomputeCostsDto, RecomputedCostsDto } from './recompute.dto';
import { type CostChange, costsRecomputed, recomputeAudit } from './recompute.events';

type Key = Record<string, number | string>;

/** The change of a row of sums. */
interface Correction {
  table: string;
  key: Key;
  priced: bigint;
  unpriced: bigint;
  cost_units: bigint;
  cost_micros: bigint;
  cost_picos: bigint;
}

/** Applies changed costs of ledger rows to the sums that already include them. */
class CostCorrections {
  private readonly corrections = new Map<string, Correction>();

  /** @param newestClosedDay days up to this one have additional sums */
  constructor(private readonly newestClosedDay: UtcDay) {}

  add(row: UsageCostEntity, before: Amount | null, after: Amount | null): void {
    const { day, userId: user_id, agentId: agent_id, apiKeyId: api_key_id, provider } = row;
    const model = row.modelAnswered ?? row.model;
    if (api_key_id !== null) {
      this.addChange('usage_key_days', { day, user_id, api_key_id }, before, after);
    }
    if (row.unsummed !== null) {
      return;
    }
    this.addChange('usage_rollups', { day, user_id, agent_id, model }, before, after);
    this.addChange('usage_provider_days', { day, user_id, provider, model: row.model }, before, after);
    if (day <= this.newestClosedDay) {
      this.addChange('usage_closed_days', { day, agent_id, model }, before, after);
      this.addChange('usage_user_months', { month: utcMonth(day), user_id }, before, after);
    }
  }

  async store(manager: EntityManager): Promise<void> {
    // Always in the same order, so that two recalculations cannot deadlock.
    const sorted = [...this.corrections].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [, { table, key, ...sums }] of sorted) {
      const increments = Object.fromEntries(Object.entries(sums).map(([column, sum]) => [column, toCounter(sum)]));
      await addToCounters(manager, table, key, increments);
    }
  }

  private addChange(table: string, key: Key, before: Amount | null, after: Amount | null): void {
    const name = JSON.stringify([table, ...Object.values(key)]);
    const sums = this.corrections.get(name) ?? { ...NOTHING, table, key };
    const [old, fresh] = [toParts(before ?? 0n), toParts(after ?? 0n)];
    this.corrections.set(name, {
      table,
      key,
      priced: sums.priced + count(after !== null) - count(before !== null),
      unpriced: sums.unpriced + count(after === null) - count(before === null),
      cost_units: sums.cost_units + fresh.units - old.units,
      cost_micros: sums.cost_micros + fresh.micros - old.micros,
      cost_picos: sums.cost_picos + fresh.picos - old.picos,
    });
  }
}

const NOTHING = { priced: 0n, unpriced: 0n, cost_units: 0n, cost_micros: 0n, cost_picos: 0n };

function count(is: boolean): bigint {
  return is ? 1n : 0n;
}

/** Part of a difference. It is a small integer that fits a number. */
function toCounter(part: bigint): number {
  return +part.toString();
}

/** Recalculates past costs with the current price list. Nothing else ever changes recorded costs. */
@Injectable()
export class CostRecomputation {
  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
    private readonly events: DomainEvents,
    private readonly book: PriceBook,
    private readonly ledger: CostLedger,
    private readonly closing: DayClosingService,
  ) {}

  /** @throws ValidationFailedError when the period ends before it starts */
  async run({ from, to, reason, dry_run = false }: RecomputeCostsDto): Promise<RecomputedCostsDto> {
    const period = {
      condition: 'created_at >= ? AND created_at <= ?',
      parameters: [firstInstantOf(from), lastInstantOf(to)],
    };
    if (firstInstantOf(from) > lastInstantOf(to)) {
      throw ValidationFailedError.of('to', 'conflicts');
    }
    const { manager } = this.database;
    const sums: Sums = { rows: 0, before: [], after: [] };
    const changed: number[] = [];
    for await (const rows of keysetBatches(manager, UsageCostEntity, period, { by: 'id' })) {
      for (const row of rows) {
        const before = costOfRow(row);
        const { cost, priceId } = await this.costNow(row);
        add(sums, before, cost);
        if (cost !== before || priceId !== row.priceId) {
          changed.push(row.id);
        }
      }
    }
    const report = {
      rows: sums.rows,
      before: formatAmount(totalCost(sums.before)),
      after: formatAmount(totalCost(sums.after)),
    };
    if (!dry_run) {
      await this.database.write((writing) =>
        this.events.publish(
          writing,
          recomputeAudit.change('create', {
            id: null,
            userId: null,
            before: null,
            after: { from, to, ...report },
            reason,
          }),
        ),
      );
      for (let start = 0; start < changed.length; start += BATCH_ROWS) {
        this.lifecycle.assertAcceptsWork();
        await this.change(changed.slice(start, start + BATCH_ROWS));
      }
    }
    return { ...report, currency: this.ledger.currency, dry_run };
  }

  /**
   * Requests that no provider answered, or that the demo answered, are free at any price. The row shows this, because
   * the provider of the environment may have changed since.
   */
  private async costNow(row: UsageCostEntity): Promise<Cost> {
    if (row.priceId === null && row.costUnits !== null) {
      return { cost: 0n, priceId: null };
    }
    const price = (await this.book.list()).find(row.provider, row.model, row.askedAt);
    if (price === null) {
      return { cost: null, priceId: null };
    }
    const cost = costOf(price, {
      prompt: row.promptTokens,
      completion: row.completionTokens,
      cached: row.cachedTokens,
      cacheWrite: row.cacheWriteTokens,
      cacheWrite1h: row.cacheWrite1hTokens,
      reasoning: row.reasoningTokens,
      images: row.images,
      webSearches: row.webSearches,
      requests: row.requests,
    });
    return { cost, priceId: price.id };
  }

  /** Changes rows, their sums, and other modules' data about them in one transaction. */
  private async change(ids: number[]): Promise<void> {
    await this.database.write(async (manager) => {
      const changes: CostChange[] = [];
      const rows = await findRows(manager, UsageCostEntity, { id: In(ids) }, { order: { id: 'ASC' }, lock: 'wait' });
      const corrections = new CostCorrections(await this.closing.holdNewestClosedDay(manager));
      for (const row of rows) {
        const before = costOfRow(row);
        const { cost: after, priceId } = await this.costNow(row);
        await updateRows(manager, UsageCostEntity, { priceId, ...storedCost(after) }, { id: row.id });
        corrections.add(row, before, after);
        const { id, userId, plan, groupIds, apiKeyId, agentId, messageId, askedAt, createdAt: endedAt } = row;
        changes.push({
          id,
          userId,
          plan,
          groupIds,
          apiKeyId,
          agentId,
          messageId,
          askedAt,
          endedAt,
          before,
          after,
        });
      }
      await corrections.store(manager);
      await this.book.markUsed(manager, await Promise.all(rows.map(async (row) => (await this.costNow(row)).priceId)));
      await this.events.publish(manager, costsRecomputed(changes));
    });
  }
}

/** Rows per transaction. */
const BATCH_ROWS = 200;

interface Sums {
  rows: number;
  before: { cost: Amount | null }[];
  after: { cost: Amount | null }[];
}

/** Keeps only running totals, because a year has too many rows for memory. */
function add(sums: Sums, before: Amount | null, after: Amount | null): void {
  sums.rows++;
  sums.before = [{ cost: totalCost([...sums.before, { cost: before }]) }];
  sums.after = [{ cost: totalCost([...sums.after, { cost: after }]) }];
}
