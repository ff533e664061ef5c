import { Column, PrimaryColumn } from 'typeorm';

/** One row with the last document up to which all are in a segment. Searches read later documents, of all owners. */
export abstract class IndexProgressEntity {
  @PrimaryColumn({ type: 'int' })
  id: number;

  @Column({ name: 'message_id', type: 'int' })
  documentId: number;
}
