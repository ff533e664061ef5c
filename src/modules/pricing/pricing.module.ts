import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { LlmModule } from '../../integrations/llm/llm.module';
import { PricesController } from './administration/prices.controller';
import { PricesService } from './administration/prices.service';
import { PriceImportService } from './import/price-import.service';
import { MissingPriceEntity } from './missing/missing-price.entity';
import { MissingPrices } from './missing/missing-prices';
import { priceMissing } from './missing/pricing.events';
import { PriceEntity } from './price.entity';
import { PriceBook } from './price-book';
import { priceAudit, priceImportAudit } from './pricing.audit';
import { PricingConfig } from './pricing.config';

/**
 * The prices of models.
 *
 * - `rules/` selects the price and calculates costs, without database and clock.
 * - `price-book.ts` has the prices in memory, for all code that calls models.
 * - `missing/` reports models that were used without a price.
 * - `administration/` has the routes for administrators; `import/` reads public price lists.
 */
@Feature({
  folder: __dirname,
  groups: { Money: 'Plans, prices, budgets and the cost of each request.' },
  audits: [priceAudit, priceImportAudit],
  events: [priceMissing],
  configuration: [PricingConfig],
  imports: [TypeOrmModule.forFeature([PriceEntity, MissingPriceEntity]), LlmModule],
  controllers: [PricesController],
  providers: [MissingPrices, PriceBook, PriceImportService, PricesService],
  exports: [MissingPrices, PriceBook],
})
export class PricingModule {}
