/** What other modules may use of this one. */
export { BudgetAdmission } from './admission/budget-admission';
export { BudgetSettlement, NoRoomLeft, type SettledCost } from './admission/budget-settlement';
export type { ChargedRequest, Estimate, Hold, HoldKey, HoldName } from './admission/hold';
export { BudgetConfig } from './budget.config';
export { BudgetModule } from './budget.module';
