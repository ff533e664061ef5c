import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { LongBytesColumn } from '../../database/columns';

/** Passages of an ingestion whose words were added together. */
@Entity('knowledge_word_parts')
@Index('ix_knowledge_word_parts_store_id', ['storeId'])
export class WordPartEntity {
  /** Id of its first passage. */
  @PrimaryColumn({ name: 'first_id', type: 'int' })
  firstId: number;

  @Column({ name: 'ingestion_id', type: 'int' })
  ingestionId: number;

  @Column({ name: 'store_id', type: 'int' })
  storeId: number;

  @Column({ type: 'int' })
  passages: number;

  /** The sum of the passages' lengths, in terms. */
  @Column({ type: 'int' })
  length: number;
}

/**
 * The passages of a part that contain a term. The collection comes first in the key, so a search reads neighbouring
 * rows, and other users' passages do not slow it down.
 */
@Entity('knowledge_words', { withoutRowid: true })
@Index('ix_knowledge_words_first_id', ['firstId'])
export class WordEntity {
  @PrimaryColumn({ name: 'store_id', type: 'int' })
  storeId: number;

  /** See `termKey`. */
  @PrimaryColumn({ type: 'bigint' })
  term: number;

  /** The part. */
  @PrimaryColumn({ name: 'first_id', type: 'int' })
  firstId: number;

  @Column({ name: 'ingestion_id', type: 'int' })
  ingestionId: number;

  /** See `PostingsWriter`. */
  @Column({ type: 'blob' })
  postings: Buffer;
}

/** The vector of a passage. A generation is the vectors of one embedding model. */
@Entity('knowledge_vectors')
@Index('ix_knowledge_vectors_generation', ['generation', 'passageId'])
export class VectorEntity {
  @PrimaryColumn({ name: 'passage_id', type: 'int' })
  passageId: number;

  @PrimaryColumn({ type: 'int' })
  generation: number;

  /** Of length 1, as 32-bit floating-point numbers, little-endian. */
  @LongBytesColumn()
  vector: Buffer;
}

/** Vectors of a collection in the form that a search scans. A row never changes its data. */
@Entity('knowledge_segments')
@Index('ix_knowledge_segments_store_id', ['storeId', 'generation', 'level'])
export class SegmentEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'store_id', type: 'int' })
  storeId: number;

  @Column({ type: 'int' })
  generation: number;

  /** Its size class: segments of the same level are merged. */
  @Column({ type: 'int' })
  level: number;

  @Column({ type: 'int' })
  passages: number;

  /** The ingestions with passages here that were not removed, and how many: alternating 32-bit numbers. */
  @LongBytesColumn()
  members: Buffer;

  /** See `SegmentVectors`. */
  @LongBytesColumn()
  data: Buffer;
}
