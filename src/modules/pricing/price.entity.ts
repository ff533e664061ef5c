import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { DeletedAtColumn, JsonColumn, TimestampColumn } from '../../database/columns';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../integrations/llm/port/provider-definition';

/** Most digits of a price before the point. */
export const PRICE_DIGITS = 12;

/** A stored rate: a decimal text in units of the currency, because no database rounds a text. */
const RateColumn = (name: string): PropertyDecorator => Column({ name, type: 'varchar', length: 24 });
const MaybeRateColumn = (name: string): PropertyDecorator =>
  Column({ name, type: 'varchar', length: 24, nullable: true });

/** A tier in its stored form. */
export interface StoredTier {
  min_context: number;
  input?: string;
  cached_input?: string;
  cache_write?: string;
  cache_write_1h?: string;
  output?: string;
  reasoning?: string;
  per_request?: string;
  per_image?: string;
  per_web_search?: string;
}

/** The price of a model from a start time. Rows never change: another price is another row. */
@Entity('prices')
@Index('ix_prices_deleted_at', ['deletedAt'])
export class PriceEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Null: any provider with the model. */
  @Column({ type: 'varchar', length: LONGEST_PROVIDER_NAME, nullable: true })
  provider: string | null;

  /** An exact name, or a prefix followed by `*`. */
  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME })
  model: string;

  @TimestampColumn({ name: 'valid_from' })
  validFrom: Date;

  @RateColumn('input')
  input: string;

  @MaybeRateColumn('cached_input')
  cachedInput: string | null;

  @MaybeRateColumn('cache_write')
  cacheWrite: string | null;

  @MaybeRateColumn('cache_write_1h')
  cacheWrite1h: string | null;

  @RateColumn('output')
  output: string;

  @MaybeRateColumn('reasoning')
  reasoning: string | null;

  @MaybeRateColumn('per_request')
  perRequest: string | null;

  @MaybeRateColumn('per_image')
  perImage: string | null;

  @MaybeRateColumn('per_web_search')
  perWebSearch: string | null;

  @JsonColumn()
  tiers: StoredTier[];

  /** Whether a request has used it. It is then never deleted. */
  @Column({ name: 'is_used', type: 'boolean' })
  isUsed: boolean;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** A reply that began earlier may still refer to it. */
  @DeletedAtColumn()
  deletedAt: Date | null;
}
