import { newcomer } from '../accounts';
import type { AdminWrites } from './admin-call';

/** Calls for prices and budgets. */
export const MONEY_WRITES: AdminWrites = {
  'POST /api/v1/admin/prices': () => ({
    path: '/admin/prices',
    body: { model: newcomer().username, input: '1', output: '2' },
    action: 'price.create',
    target: 'price',
  }),
  'DELETE /api/v1/admin/prices/{id}': ({ priceId }) => ({
    path: `/admin/prices/${priceId}`,
    action: 'price.delete',
    target: `price:${priceId}`,
  }),
  'POST /api/v1/admin/prices/import': () => ({
    path: '/admin/prices/import?format=models.dev',
    body: { own: { models: { [newcomer().username]: { cost: { input: 1, output: 2 } } } } },
    action: 'price_import.create',
    target: 'price_import',
  }),
  'POST /api/v1/admin/prices/recompute': () => ({
    path: '/admin/prices/recompute',
    body: { from: '2026-01-01', to: '2026-01-02', reason: 'A price came late.' },
    action: 'price_recompute.create',
    target: 'price_recompute',
  }),
  'POST /api/v1/admin/budgets': () => ({
    path: '/admin/budgets',
    body: { scope: 'membership_type', scope_id: 'yearly', window: 'month', limit: '1000000', mode: 'soft' },
    action: 'budget.create',
    target: 'budget',
  }),
  'PUT /api/v1/admin/budgets/{id}': ({ budgetId, userId }) => ({
    path: `/admin/budgets/${budgetId}`,
    body: { limit: '200' },
    action: 'budget.update',
    target: `budget:${budgetId}`,
    subject: userId,
  }),
  'POST /api/v1/admin/budgets/{id}/reset': ({ budgetId, userId }) => ({
    path: `/admin/budgets/${budgetId}/reset`,
    body: {},
    action: 'budget.reset',
    target: `budget:${budgetId}`,
    subject: userId,
  }),
  'DELETE /api/v1/admin/budgets/{id}': ({ budgetId, userId }) => ({
    path: `/admin/budgets/${budgetId}`,
    action: 'budget.delete',
    target: `budget:${budgetId}`,
    subject: userId,
  }),
};
