import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';

/**
 * A part of a user's messages for the search. It is open and takes more until it is full; then its grams are stored, and it
 * is built. The messages of one that is not built are read by each search.
 */
@Entity('chat_search_segments')
@Index('ix_chat_search_segments_user_id', ['userId'])
@Index('ix_chat_search_segments_is_built', ['isFull', 'isBuilt'])
export class SearchSegmentEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** Conversations and how many messages each has here, in their order: numbers of 32 bits by turns. */
  @Column({ type: 'blob' })
  chats: Buffer;

  /** The ids of the messages, conversation after conversation: numbers of 32 bits. Their places are the ordinals. */
  @Column({ type: 'blob' })
  messages: Buffer;

  /** How long the texts are together. */
  @Column({ name: 'text_length', type: 'int' })
  textLength: number;

  @Column({ name: 'is_full', type: 'boolean' })
  isFull: boolean;

  @Column({ name: 'is_built', type: 'boolean' })
  isBuilt: boolean;

  /** A number of whoever builds it, and until when nobody else begins. A change of the messages takes it away. */
  @Column({ type: 'int', nullable: true })
  claim: number | null;

  @TimestampColumn({ name: 'claimed_until', nullable: true })
  claimedUntil: Date | null;
}
