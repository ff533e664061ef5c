import { Column, PrimaryColumn } from 'typeorm';

/** The documents of a segment that contain a gram. It has no id of its own, because there are many rows. */
export abstract class TextGramEntity {
  @PrimaryColumn({ name: 'segment_id', type: 'int' })
  segmentId: number;

  @PrimaryColumn({ type: 'int' })
  gram: number;

  /** See `toPostings`. */
  @Column({ type: 'blob' })
  postings: Buffer;
}
