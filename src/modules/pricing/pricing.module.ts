import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { LlmModule } from '../../integrations/llm/llm.module';
import { PriceEntity } from './price.entity';
import { PriceBook } from './price-book';

/**
 * What models cost.
 *
 * - `rules/`: which price counts, and what it makes of a usage: no database, no clock.
 * - `price-book.ts`: the prices in memory; whoever asks a model asks it.
 */
@Feature({
  folder: __dirname,
  imports: [TypeOrmModule.forFeature([PriceEntity]), LlmModule],
  providers: [PriceBook],
  exports: [PriceBook],
})
export class PricingModule {}
