// One file of the built console: together they compress far better than one by one.
export { Budgets } from '../../pages/admin/money/budgets';
export { Prices } from '../../pages/admin/money/prices';
