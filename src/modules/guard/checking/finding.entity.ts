import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn } from '../../../database/columns';

/** A finding: its place in the text in UTF-16 code units, and its type. */
export type StoredSpan = [start: number, end: number, type: string];

/**
 * What a guard found in a text of a conversation, so that the text is not checked again. It contains positions, and
 * never text. A guard that changed has another version, and checks the text again.
 */
@Entity('guard_findings')
@Index('uq_guard_findings_place', ['chatId', 'textHash', 'stage', 'guardId', 'version'], { unique: true })
export class FindingEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** Keyed, so that it does not reveal short texts. */
  @Column({ name: 'text_hash', type: 'varchar', length: 43 })
  textHash: string;

  @Column({ type: 'varchar', length: 16 })
  stage: string;

  @Column({ name: 'guard_id', type: 'int' })
  guardId: number;

  @Column({ type: 'int' })
  version: number;

  @Column({ name: 'is_blocked', type: 'boolean' })
  isBlocked: boolean;

  @JsonColumn()
  spans: StoredSpan[];
}
