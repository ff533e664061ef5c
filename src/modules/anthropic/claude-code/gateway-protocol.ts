import { createHash } from 'node:crypto';
import { exactNumber } from '../../../common/http/exact-json';
import { type Amount, PICOS_IN_UNIT } from '../../../common/money/amount';
import type { HardBudget } from '../../budget/budget.api';

/*
 * Version 1 of the protocol between Claude Code and its gateway. Anthropic may change it, so no other file knows it.
 */

/** The response of `/managed/settings`. */
export interface ManagedSettings {
  uuid: string;
  checksum: string;
  settings: object;
}

/** Settings with the checksum that the client compares. */
export function managedSettings(settings: object): ManagedSettings {
  const checksum = `sha256:${createHash('sha256').update(canonicalJson(settings)).digest('hex')}`;
  return { uuid: checksum, checksum, settings };
}

/** JSON with the keys of every object sorted, and without spaces (RFC 8785). */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonicalJson).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** Minor units of a currency in one unit. */
const CENTS = 100n;

/** The names of windows. A budget without a window has none. */
const PERIODS: Record<HardBudget['window'], string | null> = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
  total: null,
};

const WARNING_PERCENT = 75n;
const CRITICAL_PERCENT = 95n;

/** The response of `/api/oauth/usage`. @param budgets with a hard limit, for the user alone */
export function usageOf(budgets: readonly HardBudget[], currency: string): object {
  const shown = budgets.map((budget) => ({ budget, percent: percentOf(budget) }));
  const fullest = shown.toSorted((one, other) => (one.percent < other.percent ? 1 : -1))[0];
  return {
    extra_usage: {
      is_enabled: true,
      monthly_limit: fullest === undefined ? null : cents(fullest.budget.limit),
      used_credits: fullest === undefined ? 0 : cents(fullest.budget.spent),
      utilization: fullest === undefined ? null : wholeNumber(fullest.percent),
      currency,
    },
    limits: shown.map(({ budget, percent }) => ({
      kind: 'spend',
      group: PERIODS[budget.window],
      percent: wholeNumber(percent),
      resets_at: budget.endsAt?.toISOString() ?? null,
      severity: percent > CRITICAL_PERCENT ? 'critical' : percent > WARNING_PERCENT ? 'warning' : 'normal',
      is_active: budget === fullest?.budget,
    })),
  };
}

function cents(amount: Amount): number {
  return wholeNumber((amount * CENTS) / PICOS_IN_UNIT);
}

function wholeNumber(value: bigint): number {
  return exactNumber(String(value));
}

/** Below 100 unless the limit is used up. */
function percentOf({ limit, spent, reserved }: HardBudget): bigint {
  return limit === 0n ? 100n : (100n * (spent + reserved)) / limit;
}
