import type { Type } from '@nestjs/common';
import { Entity, Index } from 'typeorm';
import { IndexProgressEntity } from './index-progress.entity';
import { TextGramEntity } from './text-gram.entity';
import { TextSegmentEntity } from './text-segment.entity';

/** The tables of one index. Their rows are nobody else's, so each kind of documents has tables of its own. */
export interface TextIndexTables {
  /** Their names are `<prefix>_segments`, `<prefix>_grams` and `<prefix>_progress`. */
  prefix: string;
  segments: Type<TextSegmentEntity>;
  grams: Type<TextGramEntity>;
  progress: Type<IndexProgressEntity>;
}

/**
 * The entities of an index, for `TypeOrmModule.forFeature`. A migration of the feature makes the tables, with a row of the
 * id 1 in the last one; `1700000001300-message-search.ts` is one. Columns have the same names in each index: those of the
 * first one, which is of messages.
 *
 * @example
 * // note-search.entity.ts, whose name tells the TypeORM commands that it has entities
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
