import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongTextColumn } from '../../../database/columns';

/** What an authorization server calls this service, where it gave it a name when asked; or that it took what was set by hand. */
@Entity('mcp_registrations')
@Index('uq_mcp_registrations_server_id', ['serverId'], { unique: true })
export class McpRegistrationEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'server_id', type: 'int' })
  serverId: number;

  @Column({ type: 'varchar', length: 2_000 })
  issuer: string;

  /** Empty where it was set by hand, like what is encrypted. */
  @Column({ name: 'redirect_uri', type: 'varchar', length: 2_000 })
  redirectUri: string;

  /** Encrypted. */
  @LongTextColumn()
  sealed: string;
}
