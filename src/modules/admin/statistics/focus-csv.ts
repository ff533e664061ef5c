import type { StreamableFile } from '@nestjs/common';
import { type Cell, csvFile } from '../../../common/csv/csv';
import { formatDay, parseDay } from '../../../common/utc-day';
import { costText, type ProviderDay } from '../../usage/usage.api';

/** Version of FinOps FOCUS whose columns the file has. */
export const FOCUS_VERSION = '1.2';

/** Columns of FinOps FOCUS, in the order of its specification. */
export const FOCUS_COLUMNS = [
  'BilledCost',
  'BillingCurrency',
  'ChargeCategory',
  'ChargeDescription',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'ConsumedQuantity',
  'ConsumedUnit',
  'EffectiveCost',
  'ProviderName',
  'ResourceId',
  'ServiceCategory',
  'ServiceName',
  'SubAccountId',
  'Tags',
] as const;

/** Costs as finance departments load them: a row for each day, user, provider and model. */
export function focusFile(
  { from, to }: { from: string; to: string },
  currency: string,
  days: AsyncIterable<ProviderDay[]>,
): StreamableFile {
  async function* rows(): AsyncGenerator<Cell[][]> {
    for await (const batch of days) {
      yield batch.map((day) => focusCells(day, currency));
    }
  }
  return csvFile(`focus-${FOCUS_VERSION}-${from}-${to}`, FOCUS_COLUMNS, rows());
}

/** What has no price has no cost: its cells are empty, and its tags say how much of it there is. */
function focusCells(day: ProviderDay, currency: string): Cell[] {
  const cost = costText(day.cost);
  const tags = day.cost.unpriced === 0 ? {} : { unpriced_requests: String(day.cost.unpriced) };
  return [
    cost,
    currency,
    'Usage',
    `${day.provider} ${day.model}`,
    `${formatDay(parseDay(day.day) + 1)}T00:00:00Z`,
    `${day.day}T00:00:00Z`,
    day.usage.total,
    'Tokens',
    cost,
    day.provider,
    day.model,
    'AI and Machine Learning',
    'Language models',
    String(day.userId),
    JSON.stringify(tags),
  ];
}
