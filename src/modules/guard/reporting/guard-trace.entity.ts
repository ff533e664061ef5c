import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn } from '../../../database/columns';
import type { GuardCheck } from '../checking/guard-check';

/** The checks of a reply until it ended or waited. They have no text. */
@Entity('guard_traces')
@Index('ix_guard_traces_message_id', ['messageId'])
@Index('ix_guard_traces_user_id', ['userId'])
export class GuardTraceEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The reply. */
  @Column({ name: 'message_id', type: 'int' })
  messageId: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @JsonColumn()
  checks: GuardCheck[];
}
