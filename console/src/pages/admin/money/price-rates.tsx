import type { PriceDto, PricePartsDto, PriceTierDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { formatExactMoney } from '../../../app/i18n/money';
import { Facts } from '../../../components/facts';

const t = texts('money');

/** The parts of a price, in the order in which they are shown and entered. */
export const RATES = [
  'input',
  'output',
  'cached_input',
  'cache_write',
  'reasoning',
  'per_request',
  'per_image',
] as const satisfies readonly (keyof PricePartsDto)[];
export type RateName = (typeof RATES)[number];

/** What has no column of its own. */
const FURTHER = ['cache_write', 'reasoning', 'per_request', 'per_image'] as const;

export function Rate({ price, name }: { price: PriceDto; name: RateName }): JSX.Element {
  const rate = price[name];
  return <>{rate === null ? '—' : formatExactMoney(rate, price.currency)}</>;
}

/** The other parts of a price, and what holds for long prompts. */
export function FurtherRates({ price }: { price: PriceDto }): JSX.Element {
  const money = (rate: string): string => formatExactMoney(rate, price.currency);
  const others = FURTHER.flatMap((name): [string, string][] => {
    const rate = price[name];
    return rate === null ? [] : [[t(name), money(rate)]];
  });
  if (others.length === 0 && price.tiers.length === 0) return <>—</>;
  return (
    <details>
      <summary>{t('further_count', { count: others.length + price.tiers.length })}</summary>
      <Facts facts={others} />
      {price.tiers.map((tier) => (
        <div key={tier.min_context} class="tier">
          <strong>{t('tier_from', { tokens: formatNumber(tier.min_context) })}</strong>
          <Facts facts={ratesOf(tier).map(([name, rate]) => [t(name), money(rate)])} />
        </div>
      ))}
    </details>
  );
}

/** What a tier or a price names. */
export function ratesOf(price: PriceTierDto | PricePartsDto): [RateName, string][] {
  return RATES.flatMap((name): [RateName, string][] => {
    const rate = price[name];
    return rate === null || rate === undefined ? [] : [[name, rate]];
  });
}
