import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { ParameterAdjustment } from '../port/parameter-adjustment';

/** A fact about a model, learned from a refusal, which costs an extra request only once. */
@Entity('model_facts')
@Index('uq_model_facts', ['provider', 'endpoint', 'model', 'parameter'], { unique: true })
export class ModelFactEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The provider's name. */
  @Column({ type: 'varchar', length: 64 })
  provider: string;

  /** Fingerprint of the provider's address, because at another address the same name may be another model. */
  @Column({ type: 'varchar', length: 32 })
  endpoint: string;

  @Column({ type: 'varchar', length: 191 })
  model: string;

  /** The parameter's name on the wire, or `context_tokens` for the model's window. */
  @Column({ type: 'varchar', length: 64 })
  parameter: string;

  @JsonColumn()
  adjustment: ParameterAdjustment;

  @TimestampColumn({ name: 'learned_at' })
  learnedAt: Date;
}
