import { Injectable } from '@nestjs/common';
import { MoreThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { formatDay, type UtcDay, utcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { UsageKeyDayEntity } from './usage-key-day.entity';

/** Days of the report, including today. */
const DAYS = 30;

/** Usage of an API key on a UTC day (`YYYY-MM-DD`). */
export interface KeyDay {
  date: string;
  messages: number;
  tokens: number;
}

/** Reads the usage of API keys, one row per day. */
@Injectable()
export class KeyUsageQuery {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The last 30 UTC days of a key in ascending order; the last one is today. Days without usage have zeros. */
  async days(apiKeyId: number): Promise<KeyDay[]> {
    const first = utcDay(this.clock.now()) - DAYS + 1;
    const rows = await findRows(this.database.manager, UsageKeyDayEntity, { apiKeyId, day: MoreThanOrEqual(first) });
    const byDay = new Map<UtcDay, UsageKeyDayEntity>(rows.map((row) => [row.day, row]));
    return Array.from({ length: DAYS }, (_element, index) => {
      const { messages = 0, tokens = 0 } = byDay.get(first + index) ?? {};
      return { date: formatDay(first + index), messages, tokens };
    });
  }
}
