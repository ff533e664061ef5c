import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The texts of a message that count for its user's storage. Most messages have none: see `StorageService`. */
@Entity('usage_stored_texts')
export class StoredTextEntity {
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** Bytes of UTF-8. */
  @Column({ type: 'int' })
  bytes: number;
}
