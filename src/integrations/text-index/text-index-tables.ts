import type { Type } from '@nestjs/common';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TextSegmentEntity } from './text-segment.entity';

/** The documents of a segment that contain a gram. It has no id of its own, because there are many rows. */
abstract class TextGramEntity {
  @PrimaryColumn({ name: 'segment_id', type: 'int' })
  segmentId: number;

  @PrimaryColumn({ type: 'int' })
  gram: number;

  /** See `toPostings`. */
  @Column({ type: 'blob' })
  postings: Buffer;
}

/** One row with the last document up to which all are in a segment. Searches read later documents, of all owners. */
abstract class IndexProgressEntity {
  @PrimaryColumn({ type: 'int' })
  id: number;

  @Column({ name: 'message_id', type: 'int' })
  documentId: number;
}

/** The tables of one index. Each kind of documents has its own tables. */
export interface TextIndexTables {
  /** Their names are `<prefix>_segments`, `<prefix>_grams` and `<prefix>_progress`. */
  prefix: string;
  segments: Type<TextSegmentEntity>;
  grams: Type<TextGramEntity>;
  progress: Type<IndexProgressEntity>;
}

/**
 * The entities of an index, for `TypeOrmModule.forFeature`. A migration of the feature creates the tables, with a row
 * with the id 1 in the last one, such as `1700000001300-message-search.ts`. Columns have the same names in each index:
 * those of the first index, which is for messages.
 *
 * @example
 * // note-search.entity.ts; the TypeORM commands find entities by this suffix
 * export const NOTE_SEARCH = textIndexTables('note_search');
 */
export function textIndexTables(prefix: string): TextIndexTables {
  @Entity(`${prefix}_segments`)
  @Index(`ix_${prefix}_segments_user_id`, ['ownerId'])
  @Index(`ix_${prefix}_segments_is_built`, ['isFull', 'isBuilt'])
  class Segments extends TextSegmentEntity {}

  @Entity(`${prefix}_grams`, { withoutRowid: true })
  class Grams extends TextGramEntity {}

  @Entity(`${prefix}_progress`)
  class Progress extends IndexProgressEntity {}

  return { prefix, segments: Segments, grams: Grams, progress: Progress };
}
