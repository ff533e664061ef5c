import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { BigIntegerColumn, JsonColumn, TimestampColumn } from '../../../database/columns';

/** `completed` with a stage other than `done`: it is ingested again, and the earlier passages are searched until then. */
export const ENTRY_STATUSES = ['in_progress', 'completed', 'failed', 'cancelled'] as const;

export type EntryStatus = (typeof ENTRY_STATUSES)[number];

export const ENTRY_STAGES = ['queued', 'parsing', 'embedding', 'indexing', 'done'] as const;

export type EntryStage = (typeof ENTRY_STAGES)[number];

/** Why an entry has no passages. */
export const ENTRY_ERRORS = [
  'type_not_supported',
  'encoding',
  'no_text',
  'encrypted',
  'broken',
  'unsafe',
  'too_much_text',
  'timeout',
  'memory',
  'storage',
  'limit',
  'internal',
] as const;

export type EntryError = (typeof ENTRY_ERRORS)[number];

/**
 * Why a completed entry is not what was asked for: it lacks vectors, or (`ingestion_failed`, `ingestion_cancelled`) it
 * kept its earlier passages.
 */
export const ENTRY_WARNINGS = [
  'embeddings_failed',
  'embeddings_lost',
  'budget_exceeded',
  'quota_exceeded',
  'ingestion_failed',
  'ingestion_cancelled',
] as const;

export type EntryWarning = (typeof ENTRY_WARNINGS)[number];

/** Values by which a search can select entries. */
export type EntryAttributes = Record<string, string | number | boolean>;

/** A file in a collection. Its passages are those with its `ingestionId`. */
@Entity('knowledge_entries')
@Index('uq_knowledge_entries_file', ['storeId', 'fileId'], { unique: true })
@Index('ix_knowledge_entries_created_at', ['storeId', 'createdAt'])
@Index('ix_knowledge_entries_status', ['storeId', 'status', 'passages', 'usageBytes'])
@Index('ix_knowledge_entries_file_id', ['fileId'])
@Index('ix_knowledge_entries_added_by', ['addedBy'])
@Index('ix_knowledge_entries_failed', ['status', 'completedAt'])
export class KnowledgeEntryEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'store_id', type: 'int' })
  storeId: number;

  @Column({ name: 'file_id', type: 'int' })
  fileId: number;

  /** The user who attached the file; null: the account was erased. */
  @Column({ name: 'added_by', type: 'int', nullable: true })
  addedBy: number | null;

  /** Id of the request that attached it, for the log. */
  @Column({ name: 'request_id', type: 'varchar', length: 64, nullable: true })
  requestId: string | null;

  @Column({ type: 'varchar', length: 16 })
  status: EntryStatus;

  /** Null if it is `failed` or `cancelled`. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  stage: EntryStage | null;

  /** Of the present stage; 0 of 0 if unknown. */
  @Column({ name: 'progress_done', type: 'int' })
  progressDone: number;

  @Column({ name: 'progress_total', type: 'int' })
  progressTotal: number;

  @Column({ name: 'error_code', type: 'varchar', length: 32, nullable: true })
  errorCode: EntryError | null;

  @Column({ type: 'varchar', length: 32, nullable: true })
  warning: EntryWarning | null;

  /** As the client sent them. Searches read `knowledge_attributes`. */
  @JsonColumn()
  attributes: EntryAttributes;

  /** Tokens of a passage at most. */
  @Column({ name: 'chunk_size', type: 'int' })
  chunkSize: number;

  /** Tokens that two neighbouring passages share. */
  @Column({ name: 'chunk_overlap', type: 'int' })
  chunkOverlap: number;

  /** The sizes of the passages that are being made while earlier ones are still searched; otherwise null. */
  @Column({ name: 'next_chunk_size', type: 'int', nullable: true })
  nextChunkSize: number | null;

  @Column({ name: 'next_chunk_overlap', type: 'int', nullable: true })
  nextChunkOverlap: number | null;

  /** The set of passages that searches see; null: none yet. */
  @Column({ name: 'ingestion_id', type: 'int', nullable: true })
  ingestionId: number | null;

  /** How many passages it has. */
  @Column({ type: 'int' })
  passages: number;

  /** Bytes of the passages' texts and vectors. */
  @BigIntegerColumn({ name: 'usage_bytes' })
  usageBytes: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** When it was completed or failed; null before that. */
  @TimestampColumn({ name: 'completed_at', nullable: true })
  completedAt: Date | null;
}

/** One attribute of an entry. One of the three values is set. */
@Entity('knowledge_attributes')
export class KnowledgeAttributeEntity {
  @PrimaryColumn({ name: 'entry_id', type: 'int' })
  entryId: number;

  @PrimaryColumn({ type: 'varchar', length: 64 })
  name: string;

  @Column({ name: 'text_value', type: 'varchar', length: 512, nullable: true })
  textValue: string | null;

  @Column({ name: 'number_value', type: 'double', nullable: true })
  numberValue: number | null;

  @Column({ name: 'boolean_value', type: 'boolean', nullable: true })
  booleanValue: boolean | null;
}
