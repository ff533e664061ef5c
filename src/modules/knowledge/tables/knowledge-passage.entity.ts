import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A piece of an entry's text, which searches find. It is visible while the entry has its `ingestionId`. */
@Entity('knowledge_passages')
@Index('uq_knowledge_passages_number', ['ingestionId', 'number'], { unique: true })
@Index('ix_knowledge_passages_store_id', ['storeId', 'ingestionId'])
@Index('ix_knowledge_passages_entry_id', ['entryId', 'ingestionId'])
@Index('ix_knowledge_passages_text_id', ['textId'])
@Index('ix_knowledge_passages_hash', ['hash'])
export class KnowledgePassageEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'store_id', type: 'int' })
  storeId: number;

  @Column({ name: 'entry_id', type: 'int' })
  entryId: number;

  /** Id of the job that made it. */
  @Column({ name: 'ingestion_id', type: 'int' })
  ingestionId: number;

  /** Position in the entry, from 0. */
  @Column({ type: 'int' })
  number: number;

  @Column({ name: 'text_id', type: 'int' })
  textId: number;

  /** Where it starts in the text, in UTF-16 units. */
  @Column({ name: 'start_offset', type: 'int' })
  startOffset: number;

  /** Where it ends, exclusive. */
  @Column({ name: 'end_offset', type: 'int' })
  endOffset: number;

  /** The page on which it starts, from 1; null: the text has no pages. */
  @Column({ type: 'int', nullable: true })
  page: number | null;

  /** The headings above it. */
  @Column({ type: 'varchar', length: 200, nullable: true })
  heading: string | null;

  @Column({ type: 'int' })
  tokens: number;

  /** SHA-256 of its text, in hexadecimal digits. */
  @Column({ type: 'varchar', length: 64 })
  hash: string;
}
