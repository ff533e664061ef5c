import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { toUserDto } from '../account/user.dto';
import { UserEntity } from '../account/user.entity';
import { PaymentEntity } from '../membership/payment.entity';
import { describeSession } from '../sessions/session.dto';
import { SessionEntity } from '../sessions/session.entity';
import { PersonalDataRegistry } from './personal-data-registry';

/** The personal data of this module: account, sessions, payments. */
@Injectable()
export class AccountPersonalData {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'account',
      entities: [UserEntity],
      rows: (userId) => this.account(userId),
      erase: (userId) => this.eraseAccount(userId),
    });
    registry.register({
      name: 'sessions',
      entities: [SessionEntity],
      rows: (userId) => registry.read(SessionEntity, userId, toSessionRow),
      erase: (userId) => registry.delete(SessionEntity, userId),
    });
    registry.register({
      name: 'payments',
      entities: [PaymentEntity],
      rows: (userId) => registry.read(PaymentEntity, userId, toPaymentRow),
      erase: (userId) => registry.delete(PaymentEntity, userId),
    });
  }

  private async *account(userId: number): AsyncGenerator<object> {
    const user = await findRow(this.database.manager, UserEntity, { id: userId });
    if (user) {
      yield { ...toUserDto(user, this.clock.now()), bio: user.bio, settings: user.settings };
    }
  }

  /** The row stays because totals refer to it, but nothing in it identifies the person. */
  private async eraseAccount(userId: number): Promise<void> {
    await this.registry.writeUnlessHeld(userId, (manager) =>
      updateRows(
        manager,
        UserEntity,
        {
          username: `#${userId}`,
          usernameKey: `#${userId}`,
          email: `#${userId}`,
          formerEmail: null,
          passwordHash: null,
          passwordChangedAt: null,
          banReason: null,
          language: null,
          avatar: null,
          bio: null,
          settings: {},
          adminNote: null,
          lastLoginAt: null,
          updatedAt: this.clock.now(),
        },
        { id: userId },
      ),
    );
  }
}

function toSessionRow(session: SessionEntity): object {
  return {
    ...describeSession(session),
    ip: session.address,
    user_agent: session.userAgent,
    expires_at: session.expiresAt.toISOString(),
  };
}

function toPaymentRow(payment: PaymentEntity): object {
  return {
    id: payment.id,
    payment_id: payment.paymentId,
    plan_id: payment.planId,
    created_at: payment.createdAt.toISOString(),
  };
}
