import { Column, PrimaryColumn } from 'typeorm';

/** One row: up to which document all are in a segment. Searches read those after it, of all owners. */
export abstract class IndexProgressEntity {
  @PrimaryColumn({ type: 'int' })
  id: number;

  @Column({ name: 'message_id', type: 'int' })
  documentId: number;
}
