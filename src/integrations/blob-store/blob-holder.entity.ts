import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What needs a blob, other than messages: one row of another table. */
@Entity('blob_holders')
@Index('ix_blob_holders_hash', ['hash'])
export class BlobHolderEntity {
  /** The table of the row. */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  kind: string;

  @PrimaryColumn({ name: 'holder_id', type: 'int' })
  holderId: number;

  @Column({ type: 'varchar', length: 64 })
  hash: string;

  /** The user whose storage has the blob because of this row; null: none. */
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;
}
