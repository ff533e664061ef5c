import type { EntityManager } from 'typeorm';
import type { Amount } from '../../../common/money/amount';
import { toParts } from '../../../common/money/stored-amount';
import type { UtcDay } from '../../../common/utc-day';
import { addToCounters } from '../../../database/statements/upsert-counters';
import type { UsageCostEntity } from '../costs/usage-cost.entity';
import { utcMonth } from '../reports/utc-month';

type Key = Record<string, number | string>;

/** What is to be added to a row of sums. */
interface Correction {
  table: string;
  key: Key;
  priced: bigint;
  unpriced: bigint;
  cost_units: bigint;
  cost_micros: bigint;
  cost_picos: bigint;
}

/** Brings other costs of rows of the ledger into the sums that have them already. */
export class CostCorrections {
  private readonly corrections = new Map<string, Correction>();

  /** @param newestClosedDay whose sums are kept apart */
  constructor(private readonly newestClosedDay: UtcDay) {}

  add(row: UsageCostEntity, before: Amount | null, after: Amount | null): void {
    const { day, userId: user_id, agentId: agent_id, apiKeyId: api_key_id, provider } = row;
    const model = row.modelAnswered ?? row.model;
    if (api_key_id !== null) {
      this.addTo('usage_key_days', { day, user_id, api_key_id }, before, after);
    }
    if (row.unsummed !== null) {
      return;
    }
    this.addTo('usage_rollups', { day, user_id, agent_id, model }, before, after);
    this.addTo('usage_provider_days', { day, user_id, provider, model: row.model }, before, after);
    if (day <= this.newestClosedDay) {
      this.addTo('usage_closed_days', { day, agent_id, model }, before, after);
      this.addTo('usage_user_months', { month: utcMonth(day), user_id }, before, after);
    }
  }

  async store(manager: EntityManager): Promise<void> {
    // Always in the same order, so that two of them never wait for each other.
    const sorted = [...this.corrections].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [, { table, key, ...sums }] of sorted) {
      const increments = Object.fromEntries(Object.entries(sums).map(([column, sum]) => [column, toCounter(sum)]));
      await addToCounters(manager, table, key, increments);
    }
  }

  private addTo(table: string, key: Key, before: Amount | null, after: Amount | null): void {
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

/** A part of a difference is a small whole number: a statement adds it as such. */
function toCounter(part: bigint): number {
  return +part.toString();
}
