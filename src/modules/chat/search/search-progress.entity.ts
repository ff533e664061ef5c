import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One row: up to which message all are in a segment. The search reads those after it, of all users. */
@Entity('chat_search_progress')
export class SearchProgressEntity {
  @PrimaryColumn({ type: 'int' })
  id: number;

  @Column({ name: 'message_id', type: 'int' })
  messageId: number;
}
