/** What other modules may use of this one. */
export { type Cost, type Estimate, FREE, type NamedModel, PriceBook } from './price-book';
export { PricingModule } from './pricing.module';
export { costOf, type EstimatedUsage, highestCost, isFree, type Price, type PricedUsage } from './rules/price';
