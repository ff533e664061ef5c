import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';

/** A grant for this service at an MCP server, bound to the server, issuer and resource. */
@Entity('mcp_connections')
@Index('uq_mcp_connections_server_id_user_id', ['serverId', 'userId'], { unique: true })
@Index('ix_mcp_connections_user_id', ['userId'])
export class McpConnectionEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'server_id', type: 'int' })
  serverId: number;

  /** Null: a grant of the service itself. */
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;

  @Column({ type: 'varchar', length: 2_000 })
  issuer: string;

  @Column({ type: 'varchar', length: 2_000 })
  resource: string;

  /** Encrypted: the tokens, and the endpoints for their renewal and revocation. */
  @LongTextColumn()
  sealed: string;

  /** The granted scopes. */
  @JsonColumn()
  scopes: string[];

  /** Scopes that the server requested in addition. */
  @JsonColumn({ name: 'wanted_scopes' })
  wantedScopes: string[];

  /** The user's account name at the server; null: unknown. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  account: string | null;

  /** When the access token must be renewed before use; null: its lifetime is unknown. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  /** Increases with each token. */
  @Column({ type: 'int' })
  version: number;

  /** How often the current refresh token was sent without a definite response. */
  @Column({ type: 'int' })
  attempts: number;

  /** The token of the instance that renews the connection. */
  @Column({ name: 'lease_token', type: 'varchar', length: 36, nullable: true })
  leaseToken: string | null;

  /** In database time. */
  @TimestampColumn({ name: 'leased_until', nullable: true })
  leasedUntil: Date | null;

  @TimestampColumn({ name: 'connected_at' })
  connectedAt: Date;
}
