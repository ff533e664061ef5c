import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The messages of a segment that have a gram. Without an id of its own, because there are many. */
@Entity('chat_search_grams', { withoutRowid: true })
export class SearchGramEntity {
  @PrimaryColumn({ name: 'segment_id', type: 'int' })
  segmentId: number;

  @PrimaryColumn({ type: 'int' })
  gram: number;

  /** See `toPostings`. */
  @Column({ type: 'blob' })
  postings: Buffer;
}
