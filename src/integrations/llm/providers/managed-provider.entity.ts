import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongTextColumn, TimestampColumn } from '../../../database/columns';
import { LONGEST_MODEL_NAME, LONGEST_PROVIDER_NAME, type ProviderKind } from '../port/provider-definition';

/** A model provider that administrators manage. */
@Entity('model_providers')
@Index('uq_model_providers_name', ['nameKey'], { unique: true })
@Index('uq_model_providers_is_default', ['isDefault'], { unique: true })
export class ManagedProviderEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: LONGEST_PROVIDER_NAME })
  name: string;

  /** The lower-case name for comparisons. */
  @Column({ name: 'name_key', type: 'varchar', length: LONGEST_PROVIDER_NAME })
  nameKey: string;

  @Column({ type: 'varchar', length: 32 })
  kind: ProviderKind;

  /** Null: the default address of the kind. */
  @Column({ name: 'base_url', type: 'varchar', length: 2048, nullable: true })
  baseUrl: string | null;

  /** Encrypted with `ProviderCipher`; null: the provider needs no key. */
  @LongTextColumn({ name: 'api_key', nullable: true })
  apiKey: string | null;

  /** The model for agents that specify none. */
  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME, nullable: true })
  model: string | null;

  @Column({ name: 'context_tokens', type: 'int', nullable: true })
  contextTokens: number | null;

  /** Features of Anthropic's API that callers share, separated by commas; null: none is enabled. */
  @Column({ name: 'anthropic_features', type: 'varchar', length: 255, nullable: true })
  anthropicFeatures: string | null;

  /** Whether it answers for agents that specify no provider. At most one row is true; all others store NULL. */
  @Column({
    name: 'is_default',
    type: 'int',
    nullable: true,
    transformer: { to: (value: boolean) => (value ? 1 : null), from: (value: number | null) => value === 1 },
  })
  isDefault: boolean;

  @Column({ name: 'is_active', type: 'boolean' })
  isActive: boolean;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
