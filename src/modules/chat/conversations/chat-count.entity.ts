import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The number of a user's conversations outside of the trash, stored so that lists need no COUNT. */
@Entity('chat_counts')
export class ChatCountEntity {
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ type: 'int', default: 0 })
  total: number;

  /** The archived part of `total`. */
  @Column({ type: 'int', default: 0 })
  archived: number;
}
