import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { LongBytesColumn, TimestampColumn } from '../../../database/columns';

/** A request for embeddings with an `Idempotency-Key`, and its response. It is kept for 24 hours. */
@Entity('openai_embeddings')
@Index('ix_openai_embeddings_user_id', ['userId'])
@Index('ix_openai_embeddings_created_at', ['createdAt'])
export class KeptEmbeddingsEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The row of the running request in `side_requests`, which is deleted with its end. */
  @Column({ name: 'request_id', type: 'int' })
  requestId: number;

  /** Counted towards the storage of the user. */
  @Column({ type: 'int' })
  bytes: number;

  /** The length of each vector; null: there is no response. */
  @Column({ type: 'int', nullable: true })
  dimensions: number | null;

  @Column({ type: 'int', nullable: true })
  tokens: number | null;

  /** Exact decimal number; null: no price. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  cost: string | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}

/** A piece of the vectors of a response. */
@Entity('openai_embedding_vectors')
export class KeptVectorsEntity {
  @PrimaryColumn({ name: 'embeddings_id', type: 'int' })
  embeddingsId: number;

  @PrimaryColumn({ type: 'int' })
  number: number;

  /** 32-bit floating-point numbers, little-endian. */
  @LongBytesColumn()
  data: Buffer;
}
