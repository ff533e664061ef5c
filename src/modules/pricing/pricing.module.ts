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
 * What models cost.
 *
 * - `rules/`: which price counts, and what it makes of a usage: no database, no clock.
 * - `price-book.ts`: the prices in memory; whoever asks a model asks it.
 * - `missing/` tells which models were used without a price.
 * - `administration/`: what administrators do with prices; `import/` reads the lists of others.
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
