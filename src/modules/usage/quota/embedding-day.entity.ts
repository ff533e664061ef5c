import { Entity, PrimaryColumn } from 'typeorm';
import { BigIntegerColumn } from '../../../database/columns';

/** Tokens that a user has embedded on a UTC day. */
@Entity('embedding_days')
export class EmbeddingDayEntity {
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  /** In days since 1970-01-01. */
  @PrimaryColumn({ type: 'int' })
  day: number;

  @BigIntegerColumn({ default: 0 })
  tokens: number;
}
