import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A message that refers to a blob. */
@Entity('blob_references')
@Index('ix_blob_references_hash', ['hash'])
@Index('ix_blob_references_user_id', ['userId', 'hash'])
export class BlobReferenceEntity {
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  @PrimaryColumn({ type: 'varchar', length: 64 })
  hash: string;

  /** The owner of the message; null if an earlier version stored it, and it is not counted yet. 0: counts for no one. */
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;
}
