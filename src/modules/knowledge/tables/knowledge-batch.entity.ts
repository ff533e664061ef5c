import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import type { EntryStatus } from './knowledge-entry.entity';

/** Files that were attached to a collection with one request. */
@Entity('knowledge_batches')
@Index('ix_knowledge_batches_store_id', ['storeId'])
@Index('ix_knowledge_batches_user_id', ['userId'])
export class KnowledgeBatchEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'store_id', type: 'int' })
  storeId: number;

  /** The user who created it; null: the account was erased. */
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** When a client cancelled it. */
  @TimestampColumn({ name: 'cancelled_at', nullable: true })
  cancelledAt: Date | null;
}

/** A file of a batch. Its status stays when the entry is removed or ingested again later. */
@Entity('knowledge_batch_entries')
@Index('ix_knowledge_batch_entries_job_id', ['jobId'])
@Index('ix_knowledge_batch_entries_file_id', ['fileId'])
export class KnowledgeBatchEntryEntity {
  @PrimaryColumn({ name: 'batch_id', type: 'int' })
  batchId: number;

  @PrimaryColumn({ name: 'entry_id', type: 'int' })
  entryId: number;

  @Column({ name: 'file_id', type: 'int' })
  fileId: number;

  /** The ingestion that it waits for; null if the entry was complete already. */
  @Column({ name: 'job_id', type: 'int', nullable: true })
  jobId: number | null;

  /** Whether the batch started this ingestion, and `cancel` ends it. */
  @Column({ type: 'boolean' })
  started: boolean;

  @Column({ type: 'varchar', length: 16 })
  status: EntryStatus;
}
