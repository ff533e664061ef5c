import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * A created chat that is not yet in the sums and in the user's counter. `UsageFolding` adds it there and deletes the
 * row.
 */
@Entity('usage_new_chats')
@Index('ix_usage_new_chats_user_id', ['userId'])
export class NewChatEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  /** UTC day of the creation, in days since 1970-01-01. */
  @Column({ type: 'int' })
  day: number;
}
