import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongBytesColumn, TimestampColumn } from '../../../database/columns';

/**
 * `building`: its vectors are being made, and the current one is searched until then; `ended`: its vectors are to be
 * removed; `removed`: they are.
 */
export type GenerationState = 'current' | 'building' | 'ended' | 'removed';

/** An embedding model. The vectors of passages belong to one of them. Rows stay, so that no id is used twice. */
@Entity('embedding_generations')
export class EmbeddingGenerationEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 64 })
  provider: string;

  @Column({ type: 'varchar', length: 191 })
  model: string;

  /** The wanted length of vectors; null: the model's own. */
  @Column({ type: 'int', nullable: true })
  dimensions: number | null;

  /** The length of its vectors; null: none yet. */
  @Column({ type: 'int', nullable: true })
  length: number | null;

  @Column({ type: 'varchar', length: 16 })
  state: GenerationState;

  /** The administrator who pays for the vectors of older passages; null: the configuration chose the model. */
  @Column({ name: 'payer_id', type: 'int', nullable: true })
  payerId: number | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** Whether an administrator wants the vectors that the current model lacks. */
  @Column({ name: 'is_filling', type: 'boolean' })
  isFilling: boolean;

  /** Names the run that makes the vectors of older passages; null: none does. */
  @Column({ name: 'lease_owner', type: 'varchar', length: 64, nullable: true })
  leaseOwner: string | null;

  /** Until when it has the lease. */
  @TimestampColumn({ name: 'leased_until', nullable: true })
  leasedUntil: Date | null;
}

/** `sent`: its outcome is open; `refused`: it was not executed; `again`: it was lost and is sent a second time; `lost`: it was lost twice. */
export type BatchState = 'sent' | 'refused' | 'again' | 'lost';

/** Passages of an ingestion that were sent to an embedding model together. The row is deleted with their vectors. */
@Entity('embedding_batches')
@Index('ix_embedding_batches_ingestion_id', ['ingestionId', 'generation'])
export class EmbeddingBatchEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'ingestion_id', type: 'int' })
  ingestionId: number;

  @Column({ type: 'int' })
  generation: number;

  @JsonColumn({ name: 'passage_ids' })
  passageIds: number[];

  @Column({ type: 'varchar', length: 16 })
  state: BatchState;

  /** How often the outcome of the request was unknown. */
  @Column({ type: 'int' })
  losses: number;

  /** How often the provider has refused it. */
  @Column({ type: 'int' })
  refusals: number;
}

/** The lease of a run that makes the vectors of an ingestion for a model. */
@Entity('embedding_leases')
export class EmbeddingLeaseEntity {
  @PrimaryColumn({ name: 'ingestion_id', type: 'int' })
  ingestionId: number;

  @PrimaryColumn({ type: 'int' })
  generation: number;

  /** Names one run. */
  @Column({ type: 'varchar', length: 64 })
  owner: string;

  @TimestampColumn({ name: 'leased_until' })
  leasedUntil: Date;
}

/** The vector of a query, so that its user does not pay for it again soon. */
@Entity('embedding_queries')
@Index('ix_embedding_queries_expires_at', ['expiresAt'])
export class EmbeddingQueryEntity {
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  @PrimaryColumn({ type: 'int' })
  generation: number;

  /** SHA-256 of the query, in hexadecimal digits. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  hash: string;

  /** 32-bit floating-point numbers, little-endian. */
  @LongBytesColumn()
  vector: Buffer;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}
