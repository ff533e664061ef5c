import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn } from '../../../database/columns';
import type { GenerationOptions } from '../../generation/generation.api';

/** Wishes of a program with which replies of a conversation were asked for: each once, however many replies. */
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
