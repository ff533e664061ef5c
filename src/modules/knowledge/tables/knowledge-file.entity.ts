import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';

/** What a file is for, in OpenAI's terms. */
export const FILE_PURPOSES = ['assistants', 'user_data', 'vision', 'evals'] as const;

export type FilePurpose = (typeof FILE_PURPOSES)[number];

/** An uploaded file for other modules, which can only read it. */
export type KnowledgeFile = Readonly<KnowledgeFileEntity>;

/** An uploaded file. Its bytes are in the blob store. */
@Entity('knowledge_files')
@Index('ix_knowledge_files_owner_id', ['ownerId', 'createdAt'])
@Index('ix_knowledge_files_chat_id', ['chatId'])
@Index('ix_knowledge_files_expires_at', ['expiresAt'])
@Index('ix_knowledge_files_sha256', ['sha256'])
@Index('ix_knowledge_files_held_owner', ['heldOwnerId'])
@Index('ix_knowledge_files_created_at', ['createdAt'])
export class KnowledgeFileEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The user who uploaded it; null: the service, because the owner's account was erased. */
  @Column({ name: 'owner_id', type: 'int', nullable: true })
  ownerId: number | null;

  /** The conversation that it belongs to, which alone lists it; null: an upload. */
  @Column({ name: 'chat_id', type: 'int', nullable: true })
  chatId: number | null;

  /** SHA-256 of the bytes, in lower-case hexadecimal digits: the name of the blob. */
  @Column({ type: 'varchar', length: 64 })
  sha256: string;

  @Column({ type: 'int' })
  bytes: number;

  /** Bytes of the parsed text, which count towards the owner's storage like `bytes`; 0 until it is parsed. */
  @Column({ name: 'text_bytes', type: 'int', default: 0 })
  textBytes: number;

  /** By content, never by name. */
  @Column({ name: 'media_type', type: 'varchar', length: 127 })
  mediaType: string;

  @Column({ type: 'varchar', length: 255 })
  filename: string;

  @Column({ type: 'varchar', length: 16 })
  purpose: FilePurpose;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** From when on it does not exist; null: it stays until it is deleted. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  /** The user whose file it was when it was deleted or passed on while a legal hold covered it. Null otherwise. */
  @Column({ name: 'held_owner_id', type: 'int', nullable: true })
  heldOwnerId: number | null;

  /** The conversation that it belonged to when it was deleted under a legal hold. */
  @Column({ name: 'held_chat_id', type: 'int', nullable: true })
  heldChatId: number | null;

  /** When it was deleted. No user finds it since then; only a legal hold keeps it. */
  @TimestampColumn({ name: 'deleted_at', nullable: true })
  deletedAt: Date | null;
}
