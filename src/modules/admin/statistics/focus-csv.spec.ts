import { text } from 'node:stream/consumers';
import { parseCsv } from '../../../../test/support/csv';
import type { ProviderDay } from '../../usage/usage.api';
import { FOCUS_COLUMNS, focusFile } from './focus-csv';

/** Columns of feature level “Mandatory” in FinOps FOCUS 1.2. */
const MANDATORY = [
  ...['BilledCost', 'BillingAccountId', 'BillingAccountName', 'BillingCurrency', 'BillingPeriodEnd'],
  ...[
    'BillingPeriodStart',
    'ChargeCategory',
    'ChargeClass',
    'ChargeDescription',
    'ChargePeriodEnd',
    'ChargePeriodStart',
  ],
  ...['ContractedCost', 'EffectiveCost', 'InvoiceIssuerName', 'ListCost', 'PricingQuantity', 'PricingUnit'],
  ...['ProviderName', 'PublisherName', 'ServiceCategory', 'ServiceName'],
];

describe('costs in FinOps FOCUS format', () => {
  const usage = { prompt: 100, completion: 10, total: 110 };
  const dear = { amount: 300_000_000n, priced: 2, unpriced: 1, tokens: 110 };
  const day = {
    day: '2026-12-31',
    userId: 7,
    provider: 'main',
    model: 'dear',
    usage,
    cost: dear,
    agentId: 0,
    apiKeyId: null,
    groupIds: [],
  } as unknown as ProviderDay;
  const unpriced = { ...day, day: '2026-12-01', model: 'new', cost: { ...dear, amount: 0n, priced: 0 } };

  const names = { provider: (name: string) => name, agents: new Map(), keys: new Map(), groups: new Map() };

  async function* days(): AsyncGenerator<ProviderDay[]> {
    yield await Promise.resolve([day, unpriced]);
  }
  const rowsOf = async (): Promise<Record<string, string>[]> => {
    const period = { from: '2026-12-01', to: '2026-12-31' };
    const file = focusFile(period, 'EUR', days(), () => Promise.resolve(names));
    return parseCsv((await text(file.getStream())).replace('\ufeff', '')).rows;
  };

  it('have all mandatory columns', () => {
    expect(FOCUS_COLUMNS).toEqual(expect.arrayContaining(MANDATORY));
    expect([...FOCUS_COLUMNS].sort()).toEqual(FOCUS_COLUMNS);
  });

  it('belong to the month of their day', async () => {
    const [row] = await rowsOf();
    expect(row).toMatchObject({
      BillingCurrency: 'EUR',
      BillingPeriodStart: '2026-12-01T00:00:00Z',
      BillingPeriodEnd: '2027-01-01T00:00:00Z',
      ChargePeriodStart: '2026-12-31T00:00:00Z',
      ChargePeriodEnd: '2027-01-01T00:00:00Z',
      ChargeClass: '',
      PricingQuantity: '110',
    });
  });

  it('have equal values in all cost columns, or none without a price', async () => {
    const costs = ['BilledCost', 'ContractedCost', 'EffectiveCost', 'ListCost'];
    const [row, other] = await rowsOf();
    expect(costs.map((column) => row?.[column])).toEqual(costs.map(() => '0.0003'));
    expect(costs.map((column) => other?.[column])).toEqual(costs.map(() => ''));
  });
});
