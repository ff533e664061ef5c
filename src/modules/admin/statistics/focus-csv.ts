import type { StreamableFile } from '@nestjs/common';
import { type Cell, csvFile } from '../../../common/csv/csv';
import { formatDay, parseDay, type UtcDay, utcDay } from '../../../common/utc-day';
import { costText, type ProviderDay } from '../../usage/usage.api';

/** Version of FinOps FOCUS whose columns the file has. */
export const FOCUS_VERSION = '1.2';

/** All mandatory columns of FinOps FOCUS, and others, in the order of its specification. */
export const FOCUS_COLUMNS = [
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargeFrequency',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'ConsumedQuantity',
  'ConsumedUnit',
  'ContractedCost',
  'EffectiveCost',
  'InvoiceIssuerName',
  'ListCost',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'ResourceId',
  'ServiceCategory',
  'ServiceName',
  'ServiceSubcategory',
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
      yield batch.map((day) => {
        const row = focusRow(day, currency);
        return FOCUS_COLUMNS.map((column) => row[column]);
      });
    }
  }
  return csvFile(`focus-${FOCUS_VERSION}-${from}-${to}`, FOCUS_COLUMNS, rows());
}

/**
 * What has no price has no cost: its cells are empty, though FOCUS would have a number there, and its tags say how much of it
 * there is. Who bills an account is known by the name of its provider alone.
 */
function focusRow(day: ProviderDay, currency: string): Record<(typeof FOCUS_COLUMNS)[number], Cell> {
  const { provider, model } = day;
  const cost = costText(day.cost);
  const tokens = day.usage.total;
  const [year, month] = day.day.split('-').map(Number) as [number, number];
  return {
    BilledCost: cost,
    BillingAccountId: provider,
    BillingAccountName: provider,
    BillingCurrency: currency,
    BillingPeriodEnd: momentOf(utcDay(new Date(Date.UTC(year, month, 1)))),
    BillingPeriodStart: momentOf(utcDay(new Date(Date.UTC(year, month - 1, 1)))),
    ChargeCategory: 'Usage',
    ChargeClass: null,
    ChargeDescription: `${provider} ${model}`,
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: momentOf(parseDay(day.day) + 1),
    ChargePeriodStart: momentOf(parseDay(day.day)),
    ConsumedQuantity: tokens,
    ConsumedUnit: 'Tokens',
    ContractedCost: cost,
    EffectiveCost: cost,
    InvoiceIssuerName: provider,
    ListCost: cost,
    PricingQuantity: tokens,
    PricingUnit: 'Tokens',
    ProviderName: provider,
    PublisherName: provider,
    ResourceId: model,
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: 'Language models',
    ServiceSubcategory: 'Generative AI',
    SubAccountId: String(day.userId),
    Tags: JSON.stringify(day.cost.unpriced === 0 ? {} : { unpriced_requests: String(day.cost.unpriced) }),
  };
}

function momentOf(day: UtcDay): string {
  return `${formatDay(day)}T00:00:00Z`;
}
