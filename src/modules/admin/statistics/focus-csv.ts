import type { StreamableFile } from '@nestjs/common';
import { type Cell, csvFile } from '../../../common/csv/csv';
import { formatDay, parseDay, type UtcDay, utcDay } from '../../../common/utc-day';
import { costText, type ProviderDay } from '../../usage/usage.api';

/** Version of FinOps FOCUS that defines the columns. */
export const FOCUS_VERSION = '1.2';

/** All mandatory columns of FinOps FOCUS and some others, in the order of its specification. */
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

/** Names for the file. */
export interface FocusNames {
  /** Display name of a provider, by its name in the ledger. */
  provider: (name: string) => string;
  agents: ReadonlyMap<unknown, string>;
  keys: ReadonlyMap<unknown, string>;
  groups: ReadonlyMap<unknown, string>;
}

/** Costs for finance systems: one row per day, user, provider, model, agent, API key and set of groups. */
export function focusFile(
  { from, to }: { from: string; to: string },
  currency: string,
  days: AsyncIterable<ProviderDay[]>,
  namesOf: (days: readonly ProviderDay[]) => Promise<FocusNames>,
): StreamableFile {
  async function* rows(): AsyncGenerator<Cell[][]> {
    for await (const batch of days) {
      const names = await namesOf(batch);
      yield batch.map((day) => {
        const row = focusRow(day, currency, names);
        return FOCUS_COLUMNS.map((column) => row[column]);
      });
    }
  }
  return csvFile(`focus-${FOCUS_VERSION}-${from}-${to}`, FOCUS_COLUMNS, rows());
}

/**
 * Without a price, the cost cells are empty, although FOCUS requires a number, and the tags contain the number of such
 * requests. The billing account is known only by the provider's name.
 */
function focusRow(day: ProviderDay, currency: string, names: FocusNames): Record<(typeof FOCUS_COLUMNS)[number], Cell> {
  const { model } = day;
  const provider = names.provider(day.provider);
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
    Tags: JSON.stringify(tagsOf(day, names)),
  };
}

/** Tags are strings, because FOCUS tags cannot be lists. Deleted objects are shown by id. */
function tagsOf({ groupIds, agentId, apiKeyId, cost }: ProviderDay, names: FocusNames): Record<string, string> {
  const groups = groupIds.map((id) => names.groups.get(id) ?? String(id));
  return {
    ...(groups.length > 0 && { groups: groups.join(', ') }),
    ...(agentId !== 0 && { agent: names.agents.get(agentId) ?? String(agentId) }),
    ...(apiKeyId !== null && { api_key: names.keys.get(apiKeyId) ?? String(apiKeyId) }),
    ...(cost.unpriced > 0 && { unpriced_requests: String(cost.unpriced) }),
  };
}

function momentOf(day: UtcDay): string {
  return `${formatDay(day)}T00:00:00Z`;
}
