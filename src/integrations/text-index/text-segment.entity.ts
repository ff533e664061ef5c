import { Column, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../database/columns';

/**
 * What `is_built` is in segments whose grams searches can read. A change of the folding that makes other grams raises it: segments
 * with less are built again, and searches read their documents until then. An earlier version of the service, which may run at the
 * same time, does the same with segments that have more than its own 1.
 */
export const BUILT = 2;

/**
 * A part of an owner's documents. It is open and takes more until it is full; then its grams are stored, and it is built.
 * The documents of one that is not built are read by each search.
 */
export abstract class TextSegmentEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  ownerId: number;

  /** Groups and how many documents each has here, in their order: numbers of 32 bits by turns. */
  @Column({ name: 'chats', type: 'blob' })
  groups: Buffer;

  /** The ids of the documents, group after group: numbers of 32 bits. Their places are the ordinals. */
  @Column({ name: 'messages', type: 'blob' })
  documents: Buffer;

  /** How long the texts are together. */
  @Column({ name: 'text_length', type: 'int' })
  textLength: number;

  @Column({ name: 'is_full', type: 'boolean' })
  isFull: boolean;

  /** Whether it has grams; `BUILT` says of which folding. */
  @Column({ name: 'is_built', type: 'boolean' })
  isBuilt: boolean;

  /** A number of whoever builds it, and until when nobody else begins. A change of the documents takes it away. */
  @Column({ type: 'int', nullable: true })
  claim: number | null;

  @TimestampColumn({ name: 'claimed_until', nullable: true })
  claimedUntil: Date | null;
}
