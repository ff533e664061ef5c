import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongTextColumn, TimestampColumn } from '../../../database/columns';

/** A running flow of a user at an authorization server. Any instance can complete it. */
@Entity('mcp_connection_flows')
@Index('uq_mcp_connection_flows_token_hash', ['tokenHash'], { unique: true })
@Index('ix_mcp_connection_flows_user_id', ['userId'])
@Index('ix_mcp_connection_flows_server_id', ['serverId'])
@Index('ix_mcp_connection_flows_expires_at', ['expiresAt'])
export class McpConnectionFlowEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  /** The session that started the flow; the flow ends with it. */
  @Column({ name: 'session_id', type: 'int' })
  sessionId: number;

  @Column({ name: 'server_id', type: 'int' })
  serverId: number;

  /** SHA-256 of the state, in hexadecimal. */
  @Column({ name: 'token_hash', type: 'varchar', length: 64 })
  tokenHash: string;

  /** SHA-256 of the cookie that the browser received, in hexadecimal. */
  @Column({ name: 'browser_hash', type: 'varchar', length: 64 })
  browserHash: string;

  /** The page to which the browser returns. */
  @Column({ name: 'return_to', type: 'varchar', length: 2_048 })
  returnTo: string;

  /** Encrypted: issuer, endpoints, client and verifier. */
  @LongTextColumn()
  sealed: string;

  @TimestampColumn({ name: 'expires_at' })
  expiresAt: Date;
}
