import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonColumn, LongTextColumn } from '../../../database/columns';
import type { ReplyStep } from '../reply/reply-step';

/** What a long reply grew by, after what its row has of it. It goes when the reply ends. */
@Entity('reply_pieces')
export class ReplyPieceEntity {
  /** The reply, in whichever table it is. */
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  messageId: number;

  /** Its place among the pieces, from 0. */
  @PrimaryColumn({ type: 'int' })
  number: number;

  /** How much of the text comes before it, in UTF-16 units. */
  @Column({ name: 'text_offset', type: 'int' })
  textOffset: number;

  @LongTextColumn()
  content: string;

  /** How much of the reasoning comes before it, in UTF-16 units. */
  @Column({ name: 'reasoning_offset', type: 'int' })
  reasoningOffset: number;

  @LongTextColumn()
  reasoning: string;

  /** Further bounds of steps (`encodeSteps`); empty for none. Their words may stand in a later piece. */
  @LongTextColumn()
  steps: string;

  /** Of these steps those that call functions; null for none. */
  @JsonColumn({ nullable: true })
  calls: ReplyStep[] | null;
}
