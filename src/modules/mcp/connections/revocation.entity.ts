import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongTextColumn, TimestampColumn } from '../../../database/columns';

/** Tokens to revoke at their authorization server. */
@Entity('mcp_revocations')
@Index('ix_mcp_revocations_due_at', ['dueAt'])
export class McpRevocationEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Encrypted, as in the connection. */
  @LongTextColumn()
  sealed: string;

  @Column({ type: 'int' })
  attempts: number;

  /** The token of the worker that has claimed the row. */
  @Column({ name: 'claim_token', type: 'varchar', length: 36, nullable: true })
  claimToken: string | null;

  @TimestampColumn({ name: 'due_at' })
  dueAt: Date;
}
