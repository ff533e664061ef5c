import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { formatExactMoney, formatMoney } from '../../app/i18n/money';

const t = texts('shell');

export interface MoneyProps {
  /** Null if no price is known, which differs from 0. */
  amount: string | null;
  currency: string;
}

/** An amount. Its tooltip shows all digits. */
export function Money({ amount, currency }: MoneyProps): JSX.Element {
  if (amount === null) return <span class="soft amount">{t('no_price')}</span>;
  return (
    <span class="amount" title={formatExactMoney(amount, currency)}>
      {formatMoney(amount, currency)}
    </span>
  );
}

/** The same as plain text. */
export function moneyText(amount: string | null, currency: string): string {
  return amount === null ? t('no_price') : formatMoney(amount, currency);
}
