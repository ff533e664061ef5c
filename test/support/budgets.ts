import { randomUUID } from 'node:crypto';
import { Clock } from '../../src/common/clock';
import { type Amount, formatAmount, parseDecimal } from '../../src/common/money/amount';
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { BudgetAdmission, type Hold, type HoldKey } from '../../src/modules/budget/admission/budget-admission';
import { BudgetHoldEntity } from '../../src/modules/budget/admission/budget-hold.entity';
import { BudgetSettlement } from '../../src/modules/budget/admission/budget-settlement';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import type { Payer } from '../../src/modules/budget/budgets/budget-directory';
import { BudgetWindowEntity } from '../../src/modules/budget/windows/budget-window.entity';
import { reservedOf, spentOf } from '../../src/modules/budget/windows/window-amounts';
import { ReplyRegistry } from '../../src/modules/generation/reply/reply-registry';
import type { AdminClient } from './admin-client';
import type { TestApp } from './test-app';

type Instance = Pick<TestApp, 'app'>;

/** An amount that is written in a test. */
export function money(text: string): Amount {
  return parseDecimal(text) as Amount;
}

/** Creates a budget. */
export async function makeBudget(admin: AdminClient, body: object): Promise<BudgetDto> {
  const answer = await admin.post<BudgetDto>('/admin/budgets', { window: 'month', ...body });
  if (answer.status !== 201) {
    throw new Error(`A budget was answered ${answer.status}: ${answer.text}`);
  }
  return answer.body.data;
}

/** The amounts in the windows of a budget, oldest first. */
export async function windowsOf({ app }: Instance, budgetId: number): Promise<{ spent: string; reserved: string }[]> {
  const rows = await findRows(app.get(Database).manager, BudgetWindowEntity, { budgetId }, { order: { id: 'ASC' } });
  return rows.map((row) => ({ spent: formatAmount(spentOf(row)), reserved: formatAmount(reservedOf(row)) }));
}

/** All holds together. */
export function allHolds({ app }: Instance): Promise<BudgetHoldEntity[]> {
  return findRows(app.get(Database).manager, BudgetHoldEntity, {});
}

/** Reserves an amount as a request to a model does. */
export function hold(
  { app }: Instance,
  payer: Partial<Payer>,
  most: string,
  key: HoldKey = { messageId: 0, name: `trial:${randomUUID().slice(0, 18)}` },
): Promise<Hold | null> {
  const admission = app.get(BudgetAdmission);
  const estimate = { most: money(most), least: money(most) / 2n };
  const order = {
    ...key,
    payer: { userId: 0, apiKeyId: null, agentId: 0, ...payer },
    at: app.get(Clock).now(),
    ownerId: app.get(ReplyRegistry).ownerId,
    estimate: () => estimate,
  };
  return admission.run(() => app.get(Database).write((manager) => admission.admit(manager, order)));
}

/** Ends a hold. */
export function settle({ app }: Instance, key: HoldKey, cost: string | null, isUncertain = false): Promise<void> {
  const settled = { cost: cost === null ? null : money(cost), isUncertain };
  return app.get(Database).write((manager) => app.get(BudgetSettlement).settle(manager, key, settled));
}
