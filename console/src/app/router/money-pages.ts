// One chunk of the build, because the pages compress far better together.
export { Budgets } from '../../pages/admin/money/budgets';
export { Costs } from '../../pages/admin/money/costs';
export { Prices } from '../../pages/admin/money/prices';
