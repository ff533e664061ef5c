import { Entity, Index, PrimaryColumn } from 'typeorm';

/** A message that refers to a blob. */
@Entity('blob_references')
@Index('ix_blob_references_hash', ['hash'])
export class BlobReferenceEntity {
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  @PrimaryColumn({ type: 'varchar', length: 64 })
  hash: string;
}
