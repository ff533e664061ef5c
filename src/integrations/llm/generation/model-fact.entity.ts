import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { ParameterAdjustment } from './parameter-adjustment';

/** Something that a provider's refusal taught about one of its models, so that it costs one request and not one each. */
@Entity('model_facts')
@Index('uq_model_facts', ['provider', 'endpoint', 'model', 'parameter'], { unique: true })
export class ModelFactEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The provider's name. */
  @Column({ type: 'varchar', length: 64 })
  provider: string;

  /** Fingerprint of the provider's address: behind another one the same name may answer with another model. */
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
