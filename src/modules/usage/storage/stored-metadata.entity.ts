import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Size of a conversation's metadata, which counts for its user's storage (see `StorageService`). */
@Entity('usage_stored_metadata')
export class StoredMetadataEntity {
  @PrimaryColumn({ name: 'chat_id', type: 'int' })
  chatId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** Bytes of the JSON in UTF-8. */
  @Column({ type: 'int' })
  bytes: number;
}
