import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import type { MembershipType } from '../account/user.entity';

/** A payment that was converted into a membership. Because of the unique index, a payment token counts only once. */
@Entity('payments')
@Index('uq_payments_payment_id', ['paymentId'], { unique: true })
@Index('ix_payments_user_id', ['userId'])
export class PaymentEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** The payment's id from the payment backend. */
  @Column({ name: 'payment_id', type: 'varchar', length: 128 })
  paymentId: string;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'plan_id', type: 'varchar', length: 16 })
  planId: MembershipType;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
