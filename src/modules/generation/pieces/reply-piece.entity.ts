import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonColumn, LongTextColumn } from '../../../database/columns';
import type { ReplyStep } from '../reply/reply-step';

/** A part of a long running reply that follows the part in its row. Deleted after the reply ends. */
@Entity('reply_pieces')
export class ReplyPieceEntity {
  /** The reply, in either table. */
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  /** Index of the piece, from 0. */
  @PrimaryColumn({ type: 'int' })
  number: number;

  /** Length of the text before this piece, in UTF-16 code units. */
  @Column({ name: 'text_offset', type: 'int' })
  textOffset: number;

  @LongTextColumn()
  content: string;

  /** Length of the reasoning before this piece, in UTF-16 code units. */
  @Column({ name: 'reasoning_offset', type: 'int' })
  reasoningOffset: number;

  @LongTextColumn()
  reasoning: string;

  /** Further encoded steps (`encodeSteps`). Empty if none. Their text may be in a later piece. */
  @LongTextColumn()
  steps: string;

  /** The tool steps among them. Null if none. */
  @JsonColumn({ nullable: true })
  calls: ReplyStep[] | null;
}
