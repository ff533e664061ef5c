import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import type { EntryStage } from './knowledge-entry.entity';

/** `ingest`: from the file to its passages; `embed`: only the vectors that are missing. */
export const JOB_KINDS = ['ingest', 'embed'] as const;

export type JobKind = (typeof JOB_KINDS)[number];

export const JOB_STATES = ['queued', 'running'] as const;

export type JobState = (typeof JOB_STATES)[number];

/**
 * Work on an entry. Its row is written with the change that needs it, and deleted with its outcome. Its id is the
 * `ingestionId` of the passages that it makes.
 */
@Entity('knowledge_jobs')
@Index('ix_knowledge_jobs_entry_id', ['entryId'])
@Index('ix_knowledge_jobs_state', ['state', 'nextAt'])
@Index('ix_knowledge_jobs_owner_id', ['ownerId', 'state'])
export class KnowledgeJobEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'entry_id', type: 'int' })
  entryId: number;

  /** The owner of the file; null: the service. */
  @Column({ name: 'owner_id', type: 'int', nullable: true })
  ownerId: number | null;

  @Column({ type: 'varchar', length: 16 })
  kind: JobKind;

  @Column({ type: 'varchar', length: 16 })
  state: JobState;

  @Column({ type: 'varchar', length: 16 })
  stage: EntryStage;

  /** The instance that works on it. */
  @Column({ name: 'lease_owner', type: 'varchar', length: 64, nullable: true })
  leaseOwner: string | null;

  @TimestampColumn({ name: 'lease_until', nullable: true })
  leaseUntil: Date | null;

  /** Attempts that ended without progress. */
  @Column({ type: 'int' })
  attempts: number;

  /** Not to be taken before this time. */
  @TimestampColumn({ name: 'next_at' })
  nextAt: Date;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
