import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/**
 * Something whose remaining rows are removed in the background: a deleted or expired collection with its entries, or the
 * invisible passages of an entry. One of the two ids is set.
 */
@Entity('knowledge_removals')
export class KnowledgeRemovalEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'store_id', type: 'int', nullable: true })
  storeId: number | null;

  @Column({ name: 'entry_id', type: 'int', nullable: true })
  entryId: number | null;
}
