import { Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME } from '../../../integrations/llm/port/provider-definition';

/** A model that was used without a price. It is reported once, until prices change. */
@Entity('missing_prices')
export class MissingPriceEntity {
  @PrimaryColumn({ type: 'varchar', length: LONGEST_PROVIDER_NAME })
  provider: string;

  @PrimaryColumn({ type: 'varchar', length: LONGEST_MODEL_NAME })
  model: string;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
