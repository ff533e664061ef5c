import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/columns';

/** Bytes that a blob counts at least: a file system takes a block for the smallest file. */
const LEAST_COUNTED = 4_096;

/** How many bytes of a new blob count for the storage of its users. */
export function countedBytesOf(bytes: number): number {
  return Math.max(LEAST_COUNTED, bytes);
}

/** A blob that is stored, or about to be: its row is made before its bytes are stored, and goes with them. */
@Entity('blobs')
@Index('ix_blobs_is_referenced', ['isReferenced', 'touchedAt'])
export class BlobEntity {
  /** SHA-256 of the bytes, in hexadecimal digits of lower case. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  hash: string;

  /** How many bytes it has. */
  @Column({ type: 'int' })
  bytes: number;

  /** How many count for the storage of its users; null: `bytes`, because an earlier version stored it. */
  @Column({ name: 'counted_bytes', type: 'int', nullable: true })
  countedBytes: number | null;

  /** Whether `blob_references` has a row for it. */
  @Column({ name: 'is_referenced', type: 'boolean' })
  isReferenced: boolean;

  /** When somebody stored these bytes last, or referred to them. */
  @TimestampColumn({ name: 'touched_at' })
  touchedAt: Date;

  /** Since when its bytes are being erased; null: they are not. Meanwhile nobody can store the same ones. */
  @TimestampColumn({ name: 'erasing_at', nullable: true })
  erasingAt: Date | null;
}
