import { Column, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../database/columns';

/**
 * The value of `is_built` in segments whose grams searches can read. A change of the folding that results in other
 * grams raises it: segments with a lower value are built again, and searches read their documents until then. An
 * earlier version of the service, which may run at the same time, treats segments with a value above its own 1 in the
 * same way.
 */
export const BUILT = 2;

/**
 * A part of an owner's documents. It is open and accepts more until it is full; then its grams are stored, and it is
 * built. Each search reads the documents of segments that are not built.
 */
export abstract class TextSegmentEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  ownerId: number;

  /** Groups and their numbers of documents here, in order: alternating 32-bit numbers. */
  @Column({ name: 'chats', type: 'blob' })
  groups: Buffer;

  /** The ids of the documents, group after group, as 32-bit numbers. Their positions are the ordinals. */
  @Column({ name: 'messages', type: 'blob' })
  documents: Buffer;

  /** Total length of the texts. */
  @Column({ name: 'text_length', type: 'int' })
  textLength: number;

  @Column({ name: 'is_full', type: 'boolean' })
  isFull: boolean;

  /** Whether it has grams; the value `BUILT` means those of the current folding. */
  @Column({ name: 'is_built', type: 'boolean' })
  isBuilt: boolean;

  /**
   * A number that identifies its builder, and until when no other instance may build it. A change of the documents
   * clears both.
   */
  @Column({ type: 'int', nullable: true })
  claim: number | null;

  @TimestampColumn({ name: 'claimed_until', nullable: true })
  claimedUntil: Date | null;
}
