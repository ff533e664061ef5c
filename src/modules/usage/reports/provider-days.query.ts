import { Injectable } from '@nestjs/common';
import { formatDay, parseDay, type UtcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { readRows } from '../../../database/statements/long-reads';
import { rowsByProvider } from '../costs/provider-sums';
import { SUM_COLUMNS, SUMS, toUsageTotals, type UsageTotals } from './usage-totals';

/** What a user used of a model on a UTC day. */
export interface ProviderDay extends UsageTotals {
  /** `YYYY-MM-DD` */
  day: string;
  userId: number;
  provider: string;
  model: string;
}

/** Which days, both included, and of what; an absent field filters nothing. */
export interface ProviderDaysRequest {
  from: string;
  to: string;
  userId?: number;
  model?: string;
}

const KEY = 'day, user_id, provider, model';

/** Tells what was used of which model of which provider, day by day. Memory holds one day. */
@Injectable()
export class ProviderDaysQuery {
  constructor(private readonly database: Database) {}

  async *days({ from, to, userId, model }: ProviderDaysRequest): AsyncGenerator<ProviderDay[]> {
    const filters: [string, string | number][] = [
      ...(userId === undefined ? [] : [['user_id = ?', userId] as [string, number]]),
      ...(model === undefined ? [] : [['model = ?', model] as [string, string]]),
    ];
    const condition = ['day = ?', ...filters.map(([name]) => name)].join(' AND ');
    const columns = `${KEY}, ${SUM_COLUMNS.join(', ')}`;
    const sql = `
      SELECT ${KEY}, ${SUMS} FROM (
        SELECT ${columns} FROM usage_provider_days WHERE ${condition}
        UNION ALL
        SELECT ${columns} FROM (${rowsByProvider('usage_costs WHERE unsummed = 1')}) AS unsummed_costs WHERE ${condition}
      ) AS counted GROUP BY ${KEY} ORDER BY ${KEY}`;
    for (let day: UtcDay = parseDay(from); day <= parseDay(to); day++) {
      const values = [day, ...filters.map(([, value]) => value)];
      const rows = await readRows(this.database, sql, [...values, ...values]);
      if (rows.length > 0) {
        yield rows.map(toProviderDay);
      }
    }
  }
}

function toProviderDay([day, userId, provider, model, ...sums]: unknown[]): ProviderDay {
  return {
    day: formatDay(day as UtcDay),
    userId: userId as number,
    provider: provider as string,
    model: model as string,
    ...toUsageTotals(sums),
  };
}
