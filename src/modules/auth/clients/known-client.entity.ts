import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';

/** How a client is identified. */
export type ClientKind = 'device' | 'address';

/** A client that has recently signed in to an account. */
@Entity('known_clients')
@Index('uq_known_clients_user_id_client_hash', ['userId', 'clientHash'], { unique: true })
@Index('ix_known_clients_signed_in_at', ['signedInAt'])
export class KnownClientEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ type: 'varchar', length: 16 })
  kind: ClientKind;

  /** HMAC-SHA-256 of the device's cookie or of the IP address, in hexadecimal. */
  @Column({ name: 'client_hash', type: 'varchar', length: 64 })
  clientHash: string;

  /** The last sign-in. */
  @TimestampColumn({ name: 'signed_in_at' })
  signedInAt: Date;
}
