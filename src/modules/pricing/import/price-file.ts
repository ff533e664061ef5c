import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';
import type { StoredTier } from '../price.entity';
import { RATE_NAMES, type RateName, rateText } from '../rules/stored-price';
import { type ExchangeRate, toMicros } from './file-number';

/** The rates of a price in their stored form. */
export type FileRates = Record<'input' | 'output', string> &
  Partial<Record<Exclude<RateName, 'input' | 'output'>, string>>;

/** A model of a file, with its price, or the reason why it is skipped. */
export interface FileEntry {
  provider: string;
  model: string;
  price: { rates: FileRates; tiers: StoredTier[]; isRounded: boolean } | null;
  reason: SkipReason | null;
}

export const SKIP_REASONS = ['no_token_price', 'not_whole', 'invalid_name', 'not_mapped', 'duplicate'] as const;

/**
 * Why a model of a file is skipped: it lacks a price of prompt or reply, has a price that is no whole millionth, has an
 * invalid name, belongs to an excluded provider, or duplicates an earlier one.
 */
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Largest stored rate, in micro-units: twelve digits before the point. */
const LARGEST_RATE = 10n ** 18n - 1n;

/** Numbers of a file by the service's names of rates; undefined if the file has none. */
export type FileNumbers = Partial<Record<RateName, unknown>>;

/** The entry of one model in a file. */
export interface FileModel {
  provider: string;
  model: string;
  base: FileNumbers;
  /** Rates above this number of prompt tokens. */
  above: { size: number; numbers: FileNumbers }[];
}

/** @param shift digits from the file's prices per token to those per million */
export function toEntry({ provider, model, base, above }: FileModel, shift: number, rate: ExchangeRate): FileEntry {
  const left = (reason: SkipReason): FileEntry => ({ provider, model, price: null, reason });
  if (!isName(model, LONGEST_MODEL_NAME) || model.includes('*') || !isName(provider, LONGEST_PROVIDER_NAME)) {
    return left('invalid_name');
  }
  // Files use null for unknown prices.
  if ((base.input ?? null) === null || (base.output ?? null) === null) {
    return left('no_token_price');
  }
  const rounded = { isRounded: false };
  const rates = toRates(base, shift, rate, rounded);
  const tiers = above.map(({ size, numbers }) => ({ size, rates: toRates(numbers, shift, rate, rounded) }));
  if (rates === null || tiers.some((tier) => tier.rates === null || !isSize(tier.size))) {
    return left('not_whole');
  }
  // A file may have the rates of one tier in several places.
  const bySize = new Map<number, StoredTier>();
  for (const { size, rates: changed } of tiers) {
    if (Object.keys(changed ?? {}).length > 0) {
      bySize.set(size, { ...bySize.get(size), min_context: size + 1, ...changed });
    }
  }
  const stored = [...bySize.values()].sort((one, other) => one.min_context - other.min_context);
  return { provider, model, price: { rates: rates as FileRates, tiers: stored, ...rounded }, reason: null };
}

/** Whether a prompt may be longer than this. */
function isSize(size: number): boolean {
  return Number.isSafeInteger(size) && size >= 0;
}

/** Null if a rate is no whole micro-unit. @param rounded is set if a rate is rounded */
function toRates(
  numbers: FileNumbers,
  shift: number,
  rate: ExchangeRate,
  rounded: { isRounded: boolean },
): Partial<Record<RateName, string>> | null {
  const rates: Partial<Record<RateName, string>> = {};
  for (const name of Object.keys(RATE_NAMES) as RateName[]) {
    const value = numbers[name];
    if (value !== undefined && value !== null) {
      const read = toMicros(value, name.startsWith('per_') ? 0 : shift, rate);
      if (read === null || read.micros > LARGEST_RATE) {
        return null;
      }
      rounded.isRounded ||= read.isRounded;
      rates[name] = rateText(read.micros);
    }
  }
  return rates;
}

function isName(text: string, longest: number): boolean {
  return text.trim() !== '' && text.length <= longest;
}

/** The members of an object; none for other values. */
export function membersOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** A member of an object, as an object; an empty one for other values. */
export function objectOf(value: unknown): Record<string, unknown> {
  return Object.fromEntries(membersOf(value));
}
