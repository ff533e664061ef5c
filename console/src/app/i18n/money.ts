import { formatter } from './formatters';
import { language } from './languages';

/** Digits behind the point that the service keeps: an amount is a whole number of pico-units. */
const DECIMALS = 12;

/** An amount of the service, a decimal text such as `0.001234567`, in pico-units. Money is never a double here. */
export function toPicos(amount: string): bigint {
  const [whole = '0', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(DECIMALS, '0'));
}

function fromPicos(picos: bigint): string {
  const digits = String(picos).padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '');
  return digits.slice(0, -DECIMALS) + (decimals && `.${decimals}`);
}

/** What is held and what is spent, or other amounts, together. */
export function sumOf(...amounts: string[]): string {
  return fromPicos(amounts.reduce((sum, amount) => sum + toPicos(amount), 0n));
}

/** What is left of a limit, not below 0. */
export function leftOf(limit: string, ...taken: string[]): string {
  const left = toPicos(limit) - toPicos(sumOf(...taken));
  return left > 0n ? fromPicos(left) : '0';
}

/** How many thousandths of the whole a part is, at most 1000; a whole of 0 is used up. */
export function thousandthsOf(part: string, whole: string): number {
  const [taken, all] = [toPicos(part), toPicos(whole)];
  return all === 0n || taken >= all ? 1000 : Number((taken * 1000n) / all);
}

/** What a month will cost if its other days cost as much as those so far, today included. @param today a UTC day, `YYYY-MM-DD` */
export function forecastOf(soFar: string, today: string): string {
  const [year, month, day] = today.split('-').map(Number) as [number, number, number];
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return fromPicos((toPicos(soFar) * BigInt(days)) / BigInt(day));
}

function inCurrency(amount: string, currency: string, options: Intl.NumberFormatOptions): string {
  const format = formatter(Intl.NumberFormat, language(), { style: 'currency', currency, ...options });
  return format.format(amount as Intl.StringNumericLiteral);
}

/** An amount to look at: as people write prices, and below one unit with three digits that count. */
export function formatMoney(amount: string, currency: string): string {
  const [, zeros] = /^0\.(0*)/.exec(amount) ?? [];
  return inCurrency(amount, currency, zeros === undefined ? {} : { maximumFractionDigits: zeros.length + 3 });
}

/** An amount to its last digit. */
export function formatExactMoney(amount: string, currency: string): string {
  return inCurrency(amount, currency, { maximumFractionDigits: DECIMALS });
}
