import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';

/**
 * Whose files are ingested, so that an owner has one ingestion at a time over all instances, and owners take turns. The
 * row exists while the owner has jobs.
 */
@Entity('knowledge_turns')
export class IngestionTurnEntity {
  /** The owner of the files; 0: the service. */
  @PrimaryColumn({ name: 'owner_id', type: 'int' })
  ownerId: number;

  /** The job that runs; null: none. */
  @Column({ name: 'job_id', type: 'int', nullable: true })
  jobId: number | null;

  /** When the last job started. */
  @TimestampColumn({ name: 'served_at' })
  servedAt: Date;
}
