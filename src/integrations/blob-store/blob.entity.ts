import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../database/columns';

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
