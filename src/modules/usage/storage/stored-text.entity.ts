import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Size of a message's texts that count for its user's storage (see `StorageService`). Most messages have none. */
@Entity('usage_stored_texts')
export class StoredTextEntity {
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** Bytes in UTF-8. */
  @Column({ type: 'int' })
  bytes: number;
}
