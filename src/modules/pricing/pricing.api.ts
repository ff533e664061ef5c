/** The exports of this module for other modules. */
export { UsedPriceDto } from './administration/price.dto';
export { MissingPrices } from './missing/missing-prices';
export { type Cost, PriceBook } from './price-book';
export { PricingConfig } from './pricing.config';
export { PricingModule } from './pricing.module';
export { costOf, NO_PRICED_USAGE, type PricedUsage } from './rules/price';
export { withPriority } from './rules/tariff';
