import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many conversations a user has outside of the trash. With it no list has to count them. */
@Entity('chat_counts')
export class ChatCountEntity {
  @PrimaryColumn({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ type: 'int', default: 0 })
  total: number;

  /** Those of `total` that are archived. */
  @Column({ type: 'int', default: 0 })
  archived: number;
}
