import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongTextColumn, TimestampColumn } from '../../../database/columns';
import type { MaskRestoring } from './masks';

/** A value of a conversation and the mask that models receive instead. */
@Entity('guard_masks')
@Index('uq_guard_masks_chat_id_type_number', ['chatId', 'type', 'number'], { unique: true })
@Index('ix_guard_masks_user_id', ['userId'])
export class GuardMaskEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The owner of the conversation. */
  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  @Column({ type: 'varchar', length: 32 })
  type: string;

  /** From 1 for each type. */
  @Column({ type: 'int' })
  number: number;

  /** The encrypted value. */
  @LongTextColumn()
  sealed: string;

  @Column({ type: 'varchar', length: 16 })
  restore: MaskRestoring;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
