import { defineAudit } from '../../common/audit/audit-definition';
import type { PriceEntity } from './price.entity';

export const priceAudit = defineAudit<PriceEntity>({
  subject: 'price',
  state: (price) => ({
    provider: price.provider,
    model: price.model,
    valid_from: price.validFrom.toISOString(),
    input: price.input,
    cached_input: price.cachedInput,
    cache_write: price.cacheWrite,
    cache_write_1h: price.cacheWrite1h,
    output: price.output,
    reasoning: price.reasoning,
    per_request: price.perRequest,
    per_image: price.perImage,
    per_web_search: price.perWebSearch,
    tiers: price.tiers,
  }),
  personal: [],
});

/** The result of an import as a whole, because a file may have thousands of prices. */
export interface PriceImport {
  format: string;
  added: number;
  changed: number;
}

export const priceImportAudit = defineAudit<PriceImport>({
  subject: 'price_import',
  state: ({ format, added, changed }) => ({ format, added, changed }),
  personal: [],
});
