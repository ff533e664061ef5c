import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { ReplyTokenUsage } from '../../../../common/token-usage';
import { JsonColumn, TimestampColumn } from '../../../../database/columns';
import type { ApprovalResponseItem } from '../wire/response-item';
import type { ResponseSettings } from '../wire/response-settings';
import type { ToolLabels } from '../wire/tool-labels';

/** A reply that waited and goes on: from here on it is another response. The row goes with the message of the reply. */
@Entity('openai_continuations')
@Index('uq_openai_continuations_message_id', ['messageId', 'number'], { unique: true })
@Index('ix_openai_continuations_user_id', ['userId'])
export class ContinuationEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The message of the reply. */
  @ForeignKey('MessageEntity', {
    name: 'fk_openai_continuations_message_id',
    onDelete: 'CASCADE',
    onUpdate: 'NO ACTION',
  })
  @Column({ name: 'message_id', type: 'int' })
  messageId: number;

  /** Counts those of the reply from 1. */
  @Column({ type: 'int' })
  number: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** How many steps the reply had before it. */
  @Column({ name: 'first_step', type: 'int' })
  firstStep: number;

  /** What the reply had used before it; null: nobody knows. */
  @JsonColumn({ name: 'usage_before', nullable: true })
  usage: ReplyTokenUsage | null;

  /**
   * What it repeats of its request, where that is not what the beginning of the reply repeats. Where there is no beginning, the
   * first one has all of it; once all are deleted, none has anything.
   */
  @JsonColumn()
  settings: Partial<ResponseSettings>;

  /** Where the reply has no beginning that is a response: as `ResponseEntity.labels`. */
  @JsonColumn({ nullable: true })
  labels: ToolLabels | null;

  /** The decisions that it was asked for with; none where they came in another way. */
  @JsonColumn()
  input: ApprovalResponseItem[];

  @Column({ name: 'is_deleted', type: 'boolean' })
  isDeleted: boolean;

  /** When the reply began to wait: what was before it was complete then. */
  @TimestampColumn({ name: 'waited_from' })
  waitedFrom: Date;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
