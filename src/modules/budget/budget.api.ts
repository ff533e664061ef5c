/** The public API of this module. */
export {
  BudgetAdmission,
  type ChargedRequest,
  type Estimate,
  type Hold,
  type HoldKey,
  type HoldName,
} from './admission/budget-admission';
export { BudgetSettlement, NoRoomLeft, type SettledCost } from './admission/budget-settlement';
export { BudgetConfig } from './budget.config';
export { BudgetModule } from './budget.module';
export { OwnBudgetDto } from './own/own-budget.dto';
export { type HardBudget, OwnBudgetsService } from './own/own-budgets.service';
