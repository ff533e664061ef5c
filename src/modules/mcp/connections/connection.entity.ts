import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';

/** What somebody has allowed this service at a server of tools. It belongs to this server, issuer and resource. */
@Entity('mcp_connections')
@Index('uq_mcp_connections_server_id_user_id', ['serverId', 'userId'], { unique: true })
@Index('ix_mcp_connections_user_id', ['userId'])
export class McpConnectionEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'server_id', type: 'int' })
  serverId: number;

  /** Null: the service itself. */
  @Column({ name: 'user_id', type: 'int', nullable: true })
  userId: number | null;

  @Column({ type: 'varchar', length: 2_000 })
  issuer: string;

  @Column({ type: 'varchar', length: 2_000 })
  resource: string;

  /** Encrypted: the tokens, and at whom they are renewed and given back. */
  @LongTextColumn()
  sealed: string;

  /** What was allowed. */
  @JsonColumn()
  scopes: string[];

  /** What the server asked for beyond that. */
  @JsonColumn({ name: 'wanted_scopes' })
  wantedScopes: string[];

  /** What the user is called there; null: it does not say. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  account: string | null;

  /** When the access token is renewed before it is used; null: it says nothing of its end. */
  @TimestampColumn({ name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  /** Grows with each token. */
  @Column({ type: 'int' })
  version: number;

  /** How often the present refresh token was sent without a certain answer. */
  @Column({ type: 'int' })
  attempts: number;

  /** Of who renews the tokens now. */
  @Column({ name: 'lease_token', type: 'varchar', length: 36, nullable: true })
  leaseToken: string | null;

  /** By the time of the database. */
  @TimestampColumn({ name: 'leased_until', nullable: true })
  leasedUntil: Date | null;

  @TimestampColumn({ name: 'connected_at' })
  connectedAt: Date;
}
