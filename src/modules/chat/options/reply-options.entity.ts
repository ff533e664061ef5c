import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn } from '../../../database/columns';
import type { GenerationOptions } from '../../generation/generation.api';

/** Generation options of a conversation's replies. Equal options are stored once per conversation. */
@Entity('chat_reply_wishes')
@Index('uq_chat_reply_wishes_chat_id_hash', ['chatId', 'hash'], { unique: true })
export class ReplyOptionsEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @ForeignKey('ChatEntity', { name: 'fk_chat_reply_wishes_chat_id', onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** SHA-256 of the options, in hexadecimal. */
  @Column({ type: 'varchar', length: 64 })
  hash: string;

  @JsonColumn({ name: 'wishes' })
  options: GenerationOptions;
}
