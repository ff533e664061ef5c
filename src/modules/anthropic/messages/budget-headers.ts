import type { Response } from 'express';
import type { BudgetExceededError } from '../../../common/money/spending.errors';
import { SECOND_MILLISECONDS } from '../../../common/time';
import type { HardBudget } from '../../budget/budget.api';

const PREFIX = 'anthropic-ratelimit-unified';

/** The headers that scripts in browsers may read. */
export const BUDGET_HEADERS = [
  'status',
  'representative-claim',
  'reset',
  'overage-status',
  'overage-utilization',
  'overage-reset',
  'overage-surpassed-threshold',
  'overage-period',
  'overage-disabled-reason',
  'overage-scope',
].map((name) => `${PREFIX}-${name}`);

/** The names of windows in the headers. Others have none. */
const PERIODS: Record<string, string> = { day: 'daily', week: 'weekly', month: 'monthly' };

/** Shares of a limit, in percent, from which the headers warn. */
const WARNINGS = [95n, 75n];

/** The highest utilization of a budget that has not refused the request, in percent. */
const HIGHEST = 99n;

/** Sets headers that describe the fullest of the budgets that limit this user alone. */
export function setBudgetHeaders(response: Response, budgets: readonly HardBudget[]): void {
  const fullest = fullestOf(budgets.filter(({ isOwn }) => isOwn));
  if (fullest === null) {
    return;
  }
  const percent = percentOf(fullest);
  const surpassed = WARNINGS.find((share) => percent >= share);
  const status = surpassed === undefined ? 'allowed' : 'allowed_warning';
  setAll(response, {
    status,
    'representative-claim': 'overage',
    'overage-status': status,
    'overage-utilization': shareOf(percent < HIGHEST ? percent : HIGHEST),
    ...(surpassed !== undefined && { 'overage-surpassed-threshold': shareOf(surpassed) }),
    ...resetsOf(fullest.endsAt),
  });
}

/** Sets headers that say which budget refused a request. @param budgets all with a hard limit */
export function setRefusalHeaders(
  response: Response,
  { details }: BudgetExceededError,
  budgets: readonly HardBudget[],
): void {
  const refusing = budgets.filter(
    ({ scope, endsAt }) => scope === details.scope && (endsAt?.toISOString() ?? null) === details.resets_at,
  );
  const refusal = fullestOf(refusing);
  const period = refusal && PERIODS[refusal.window];
  setAll(response, {
    status: 'rejected',
    'representative-claim': 'overage',
    'overage-status': 'rejected',
    'overage-utilization': '1',
    'overage-surpassed-threshold': '1',
    'overage-disabled-reason': 'org_spend_cap_reached',
    ...(period && { 'overage-period': period }),
    ...(refusal?.isOwn === false && { 'overage-scope': 'group_pool' }),
    ...resetsOf(refusal?.endsAt ?? null),
  });
}

function setAll(response: Response, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(`${PREFIX}-${name}`, value);
  }
}

/** Unix seconds. A budget that never resets has none. */
function resetsOf(endsAt: Date | null): Record<string, string> {
  if (endsAt === null) {
    return {};
  }
  const milliseconds = endsAt.getTime();
  const seconds = String((milliseconds - (milliseconds % SECOND_MILLISECONDS)) / SECOND_MILLISECONDS);
  return { reset: seconds, 'overage-reset': seconds };
}

function fullestOf([first, ...others]: readonly HardBudget[]): HardBudget | null {
  if (first === undefined) {
    return null;
  }
  return others.reduce((most, one) => (percentOf(one) > percentOf(most) ? one : most), first);
}

/** Such as `0.05` for 5 percent. */
function shareOf(percent: bigint): string {
  return `0.${String(percent).padStart(2, '0')}`;
}

/** Whole percent of the limit that is spent or reserved. */
function percentOf({ limit, spent, reserved }: HardBudget): bigint {
  return limit === 0n ? 100n : (100n * (spent + reserved)) / limit;
}
