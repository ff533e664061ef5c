import { formatter } from './formatters';
import { language } from './languages';

/** Decimal places in the service's amounts. An amount is a whole number of pico-units. */
const DECIMALS = 12;

/** Converts a decimal amount such as `0.001234567` to pico-units. Floating-point numbers would lose digits. */
export function toPicos(amount: string): bigint {
  const [whole = '0', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(DECIMALS, '0'));
}

function fromPicos(picos: bigint): string {
  const digits = String(picos).padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '');
  return digits.slice(0, -DECIMALS) + (decimals && `.${decimals}`);
}

/** Adds amounts, such as spent and reserved. */
export function sumOf(...amounts: string[]): string {
  return fromPicos(amounts.reduce((sum, amount) => sum + toPicos(amount), 0n));
}

/** The remainder of a limit, at least 0. */
export function leftOf(limit: string, ...taken: string[]): string {
  const left = toPicos(limit) - toPicos(sumOf(...taken));
  return left > 0n ? fromPicos(left) : '0';
}

/** A part in thousandths of the whole, at most 1000. A whole of 0 counts as used up. */
export function thousandthsOf(part: string, whole: string): number {
  const [taken, all] = [toPicos(part), toPicos(whole)];
  return all === 0n || taken >= all ? 1000 : Number((taken * 1000n) / all);
}

/**
 * The month-end forecast: the average of the days so far, including today, times the days of the month.
 *
 * @param today a UTC day, `YYYY-MM-DD`
 */
export function forecastOf(soFar: string, today: string): string {
  const [year, month, day] = today.split('-').map(Number) as [number, number, number];
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return fromPicos((toPicos(soFar) * BigInt(days)) / BigInt(day));
}

function inCurrency(amount: string, currency: string, options: Intl.NumberFormatOptions): string {
  const format = formatter(Intl.NumberFormat, language(), { style: 'currency', currency, ...options });
  return format.format(amount as Intl.StringNumericLiteral);
}

/** Formats an amount with the currency's usual decimals. Below one unit, it shows three significant digits. */
export function formatMoney(amount: string, currency: string): string {
  const [, zeros] = /^0\.(0*)/.exec(amount) ?? [];
  return inCurrency(amount, currency, zeros === undefined ? {} : { maximumFractionDigits: zeros.length + 3 });
}

/** Formats an amount with all its digits. */
export function formatExactMoney(amount: string, currency: string): string {
  return inCurrency(amount, currency, { maximumFractionDigits: DECIMALS });
}
