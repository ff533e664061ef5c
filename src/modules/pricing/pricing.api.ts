/** What other modules may use of this one. */
export { MissingPrices } from './missing/missing-prices';
export { type Cost, type Estimate, FREE, type NamedModel, PriceBook } from './price-book';
export { PricingConfig } from './pricing.config';
export { PricingModule } from './pricing.module';
export { costOf, type EstimatedUsage, highestCost, isFree, type Price, type PricedUsage } from './rules/price';
