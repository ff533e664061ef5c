import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn } from '../../../database/columns';

/** Where a page of a text starts. */
export interface TextPage {
  /** From 1. */
  page: number;
  /** Offset in UTF-16 units. */
  start: number;
}

/** A heading of a text. */
export interface StoredHeading {
  start: number;
  /** From 1, the highest. */
  level: number;
  title: string;
}

/** Most UTF-16 units of one piece: a text may be larger than a packet of the database. */
export const PIECE_LENGTH = 65_536;

/** The text of a file, parsed once for each owner, content and version of the parser. */
@Entity('knowledge_texts')
@Index('uq_knowledge_texts_content', ['ownerId', 'sha256', 'parserVersion'], { unique: true })
export class KnowledgeTextEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The owner of the file; null: the service, which may have the same text twice. */
  @Column({ name: 'owner_id', type: 'int', nullable: true })
  ownerId: number | null;

  /** SHA-256 of the file's bytes. */
  @Column({ type: 'varchar', length: 64 })
  sha256: string;

  @Column({ name: 'parser_version', type: 'varchar', length: 32 })
  parserVersion: string;

  /** UTF-16 units; 0 while its pieces are being stored. */
  @Column({ type: 'int' })
  length: number;

  /** Pages, slides or sheets in order; empty if it has none. */
  @JsonColumn()
  pages: TextPage[];

  /** In order, for cutting it again. */
  @JsonColumn({ nullable: true })
  headings: StoredHeading[] | null;
}

/** A piece of a text. The pieces in order are the text. */
@Entity('knowledge_text_pieces')
export class KnowledgeTextPieceEntity {
  @PrimaryColumn({ name: 'text_id', type: 'int' })
  textId: number;

  /** From 0. */
  @PrimaryColumn({ type: 'int' })
  number: number;

  /** Offset of the piece in the text, in UTF-16 units. */
  @Column({ name: 'start_offset', type: 'int' })
  startOffset: number;

  @LongTextColumn()
  text: string;
}
