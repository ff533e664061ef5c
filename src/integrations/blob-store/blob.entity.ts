import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/columns';

/** The least bytes that a blob counts as, because a file system uses a block for the smallest file. */
const LEAST_COUNTED = 4_096;

/** How many bytes of a new blob count towards the storage of its users. */
export function countedBytesOf(bytes: number): number {
  return Math.max(LEAST_COUNTED, bytes);
}

/** A blob that is stored, or about to be. Its row is inserted before its bytes are stored, and deleted with them. */
@Entity('blobs')
@Index('ix_blobs_is_referenced', ['isReferenced', 'touchedAt'])
export class BlobEntity {
  /** SHA-256 of the bytes, in lower-case hexadecimal digits. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  hash: string;

  /** Size in bytes. */
  @Column({ type: 'int' })
  bytes: number;

  /** The bytes that count towards the storage of its users; null: `bytes`, because an earlier version stored it. */
  @Column({ name: 'counted_bytes', type: 'int', nullable: true })
  countedBytes: number | null;

  /** Whether `blob_references` or `blob_holders` has a row for it. */
  @Column({ name: 'is_referenced', type: 'boolean' })
  isReferenced: boolean;

  /** When these bytes were last stored, or referenced. */
  @TimestampColumn({ name: 'touched_at' })
  touchedAt: Date;

  /** When the erasure of its bytes started; null if there is none. The same bytes cannot be stored until it ends. */
  @TimestampColumn({ name: 'erasing_at', nullable: true })
  erasingAt: Date | null;
}
