import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { FilePurpose } from './knowledge-file.entity';

export const UPLOAD_STATUSES = ['pending', 'completed', 'cancelled'] as const;

export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

/** A file that is uploaded in parts. It reserves its bytes of the owner's storage while it is pending. */
@Entity('knowledge_uploads')
@Index('ix_knowledge_uploads_user_id', ['userId'])
@Index('ix_knowledge_uploads_expires_at', ['expiresAt'])
export class KnowledgeUploadEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The announced size of the file. */
  @Column({ type: 'int' })
  bytes: number;

  @Column({ type: 'varchar', length: 255 })
  filename: string;

  /** As the client announced it. The bytes determine that of the file. */
  @Column({ name: 'media_type', type: 'varchar', length: 255 })
  mediaType: string;

  @Column({ type: 'varchar', length: 16 })
  purpose: FilePurpose;

  /** Seconds from the completion to the end of the file; null: it does not expire. */
  @Column({ name: 'expires_after_seconds', type: 'int', nullable: true })
  expiresAfterSeconds: number | null;

  /** A pending one whose time is over has expired. */
  @Column({ type: 'varchar', length: 16 })
  status: UploadStatus;

  /** The parts of the completed file, in order. */
  @JsonColumn({ name: 'part_ids', nullable: true })
  partIds: number[] | null;

  /** The completed file. */
  @Column({ name: 'file_id', type: 'int', nullable: true })
  fileId: number | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}

/** A part of an upload. Its bytes are in the blob store. */
@Entity('knowledge_upload_parts')
@Index('ix_knowledge_upload_parts_upload_id', ['uploadId'])
export class KnowledgeUploadPartEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'upload_id', type: 'int' })
  uploadId: number;

  /** SHA-256 of the bytes: the name of the blob. */
  @Column({ type: 'varchar', length: 64 })
  sha256: string;

  @Column({ type: 'int' })
  bytes: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
