import { Injectable } from '@nestjs/common';
import { formatDay, parseDay, startOfDay, type UtcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { readRows } from '../../../database/statements/long-reads';
import { rowsByProvider } from '../costs/provider-sums';
import { SUMS, toUsageTotals, type UsageTotals } from '../sums/usage-totals';

/** A user's usage of a model on a UTC day, with the same agent, API key and groups. */
export interface ProviderDay extends UsageTotals {
  /** `YYYY-MM-DD` */
  day: string;
  userId: number;
  provider: string;
  model: string;
  /** 0 if there is none. */
  agentId: number;
  /** Null if no key was used. */
  apiKeyId: number | null;
  /** The user's groups at admission. */
  groupIds: readonly number[];
}

/** The days, both inclusive, and filters. An absent filter does not apply. */
export interface ProviderDaysRequest {
  from: string;
  to: string;
  userId?: number;
  model?: string;
}

const KEY = ['day', 'user_id', 'provider', 'model', 'agent_id', 'api_key_id', 'group_ids'];
const KEYS = KEY.join(', ');

/** Reads daily usage by provider and model from the ledger. Only one day is in memory at a time. */
@Injectable()
export class ProviderDaysQuery {
  constructor(private readonly database: Database) {}

  async *days({ from, to, userId, model }: ProviderDaysRequest): AsyncGenerator<ProviderDay[]> {
    const filters: [string, string | number][] = [
      ...(userId === undefined ? [] : [['user_id = ?', userId] as [string, number]]),
      ...(model === undefined ? [] : [['model = ?', model] as [string, string]]),
    ];
    // Filters by time, because `created_at` has an index and the day is derived from it.
    const condition = ['created_at >= ? AND created_at < ?', ...filters.map(([name]) => name)].join(' AND ');
    const counted = rowsByProvider(`usage_costs WHERE ${condition}`, KEY);
    const sql = `SELECT ${KEYS}, ${SUMS} FROM (${counted}) AS counted GROUP BY ${KEYS} ORDER BY ${KEYS}`;
    for (let day: UtcDay = parseDay(from); day <= parseDay(to); day++) {
      const values = [startOfDay(day), startOfDay(day + 1), ...filters.map(([, value]) => value)];
      const rows = await readRows(this.database, sql, values);
      if (rows.length > 0) {
        yield rows.map(toProviderDay);
      }
    }
  }
}

function toProviderDay([day, userId, provider, model, agentId, apiKeyId, groupIds, ...sums]: unknown[]): ProviderDay {
  return {
    day: formatDay(day as UtcDay),
    userId: userId as number,
    provider: provider as string,
    model: model as string,
    agentId: agentId as number,
    apiKeyId: apiKeyId as number | null,
    groupIds: typeof groupIds === 'string' ? (JSON.parse(groupIds) as number[]) : [],
    ...toUsageTotals(sums),
  };
}
