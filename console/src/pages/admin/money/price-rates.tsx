import '../../../styles/parts/money.css';
import type { PriceDto, PricePartsDto, PriceTierDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { formatExactMoney } from '../../../app/i18n/money';
import { Facts } from '../../../components/facts';

const t = texts('money');

/** The rates of a price, in display order. */
export const RATES = [
  'input',
  'output',
  'cached_input',
  'cache_write',
  'cache_write_1h',
  'reasoning',
  'per_request',
  'per_image',
  'per_web_search',
] as const satisfies readonly (keyof PricePartsDto)[];
export type RateName = (typeof RATES)[number];

/** Rates without a column of their own. */
const FURTHER = ['cache_write', 'cache_write_1h', 'reasoning', 'per_request', 'per_image', 'per_web_search'] as const;

export function Rate({ price, name }: { price: PriceDto; name: RateName }): JSX.Element {
  const rate = price[name];
  return <>{rate === null ? '—' : formatExactMoney(rate, price.currency)}</>;
}

/** Further rates, and the rates for long prompts. */
export function FurtherRates({ price }: { price: PriceDto }): JSX.Element {
  const money = (rate: string): string => formatExactMoney(rate, price.currency);
  const others = FURTHER.flatMap((name): [string, string][] => {
    const rate = price[name];
    return rate === null ? [] : [[t(name), money(rate)]];
  });
  if (others.length === 0 && price.tiers.length === 0) return <>—</>;
  return (
    <details class="price-parts">
      <summary>{t('further_count', { count: others.length + price.tiers.length })}</summary>
      <Facts facts={others} />
      <Tiers tiers={price.tiers} currency={price.currency} />
    </details>
  );
}

function Tiers({ tiers, currency }: { tiers: PriceTierDto[]; currency: string }): JSX.Element {
  return (
    <>
      {tiers.map((tier) => (
        <div key={tier.min_context} class="tier">
          <strong>{t('tier_from', { tokens: formatNumber(tier.min_context) })}</strong>
          <Facts facts={factsOf(tier, currency)} />
        </div>
      ))}
    </>
  );
}

const factsOf = (price: PriceTierDto | PricePartsDto, currency: string): [string, string][] =>
  ratesOf(price).map(([name, rate]) => [t(name), formatExactMoney(rate, currency)]);

/** The price that was charged for a request. It shows the input and output rates, and all rates on demand. */
export function UsedPrice({ price, currency }: { price: PricePartsDto | null; currency: string }): JSX.Element {
  if (price === null) return <>—</>;
  const facts = factsOf(price, currency);
  return (
    <details class="price-parts">
      <summary>
        {formatExactMoney(price.input, currency)} / {formatExactMoney(price.output, currency)}
      </summary>
      <Facts facts={facts} />
      <Tiers tiers={price.tiers} currency={currency} />
    </details>
  );
}

/** The rates that a tier or price defines. */
export function ratesOf(price: PriceTierDto | PricePartsDto): [RateName, string][] {
  return RATES.flatMap((name): [RateName, string][] => {
    const rate = price[name];
    return rate === null || rate === undefined ? [] : [[name, rate]];
  });
}
