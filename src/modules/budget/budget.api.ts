/** What other modules may use of this one. */
export { BudgetAdmission } from './admission/budget-admission';
export { BudgetSettlement, type SettledCost } from './admission/budget-settlement';
export type { Estimate, Hold, HoldKey, HoldName, HoldOrder } from './admission/hold';
export { BudgetConfig } from './budget.config';
export { BudgetModule } from './budget.module';
export type { Payer } from './budgets/budget-directory';
