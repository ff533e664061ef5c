import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongTextColumn } from '../../../database/columns';

/**
 * The client credentials from dynamic registration at an authorization server, or the binding of a manually set secret
 * to the first server that accepted it.
 */
@Entity('mcp_registrations')
@Index('uq_mcp_registrations_server_id', ['serverId'], { unique: true })
export class McpRegistrationEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'server_id', type: 'int' })
  serverId: number;

  @Column({ type: 'varchar', length: 2_000 })
  issuer: string;

  /** Empty for manually set credentials, like `sealed`. */
  @Column({ name: 'redirect_uri', type: 'varchar', length: 2_000 })
  redirectUri: string;

  /** Encrypted. */
  @LongTextColumn()
  sealed: string;
}
