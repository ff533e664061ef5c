import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { ReplyTokenUsage } from '../../../../common/token-usage';
import { JsonColumn, TimestampColumn } from '../../../../database/columns';
import type { ApprovalResponseItem } from '../wire/response-item';
import type { ResponseSettings } from '../wire/response-settings';
import type { ToolLabels } from '../wire/tool-labels';

/**
 * The continuation of a reply after a decision, which is a separate response. The row is erased with the message of the
 * reply.
 */
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

  /** The number of the continuation within the reply, from 1. */
  @Column({ type: 'int' })
  number: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** The number of steps of the reply before this continuation. */
  @Column({ name: 'first_step', type: 'int' })
  firstStep: number;

  /** The usage of the reply before this continuation; null: unknown. */
  @JsonColumn({ name: 'usage_before', nullable: true })
  usage: ReplyTokenUsage | null;

  /**
   * Settings of the request that differ from those of the reply's first response. If that response does not exist, the
   * first continuation has all settings. Once all responses are deleted, none has any.
   */
  @JsonColumn()
  settings: Partial<ResponseSettings>;

  /** Like `ResponseEntity.labels`, if the reply has no first response. */
  @JsonColumn({ nullable: true })
  labels: ToolLabels | null;

  /** The decisions in the request; empty if they were made outside of this API. */
  @JsonColumn()
  input: ApprovalResponseItem[];

  @Column({ name: 'is_deleted', type: 'boolean' })
  isDeleted: boolean;

  /** When the reply started to wait, which completed the previous response. */
  @TimestampColumn({ name: 'waited_from' })
  waitedFrom: Date;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
