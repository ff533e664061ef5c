import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import { ForbiddenError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { PaidPlan, PLAN_MONTHS, UpgradeDto } from '../dto/upgrade.dto';
import { PaymentEntity } from '../entities/payment.entity';
import { UserEntity } from '../entities/user.entity';
import { PaymentRequiredError } from '../user.errors';
import { membershipUpgraded } from '../user.events';
import { PrincipalService } from '../sessions/principal.service';
import { UserService } from '../user.service';
import { addMonths } from './membership';
import { MembershipConfig } from './membership.config';
import { PaymentVerifier } from './payment-verifier';

/** Turns payments into memberships (specification §4.3). */
@Injectable()
export class MembershipService implements OnModuleInit {
  private readonly logger = new Logger(MembershipService.name);

  constructor(
    private readonly config: MembershipConfig,
    private readonly payments: PaymentVerifier,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly users: UserService,
    private readonly principals: PrincipalService,
  ) {}

  onModuleInit(): void {
    if (this.config.upgradeMode === 'open') {
      this.logger.warn('UPGRADE_MODE is open: any user can become a paying member without paying.');
    }
    if (this.config.upgradeMode === 'verified' && this.config.PAYMENT_TOKEN_SECRET === null) {
      this.logger.warn('PAYMENT_TOKEN_SECRET is not set: every upgrade is answered with 402.');
    }
  }

  /**
   * @throws ForbiddenError when only administrators may upgrade accounts.
   * @throws PaymentRequiredError when a payment must be proved and is not, or was used before.
   */
  async upgrade(principal: Principal, upgrade: UpgradeDto): Promise<void> {
    const paymentId = await this.proofOfPayment(principal, upgrade);
    await this.database.write(async (manager) => {
      if (paymentId !== null) {
        await this.usePayment(manager, principal.userId, upgrade.plan_id, paymentId);
      }
      await this.extend(manager, principal.userId, upgrade.plan_id);
    });
  }

  private async proofOfPayment({ userId, userType }: Principal, upgrade: UpgradeDto): Promise<string | null> {
    switch (this.config.upgradeMode) {
      case 'open':
        return null;
      case 'verified':
        return this.payments.verify({ userId, planId: upgrade.plan_id, paymentToken: upgrade.payment_token });
      case 'admin_only':
        if (userType !== 'admin') {
          throw new ForbiddenError();
        }
        return null;
    }
  }

  private async usePayment(manager: EntityManager, userId: number, planId: PaidPlan, paymentId: string): Promise<void> {
    try {
      await manager.insert(PaymentEntity, { paymentId, userId, planId, createdAt: this.clock.now() });
    } catch (error) {
      throw isUniqueViolation(error, 'payment_id') ? new PaymentRequiredError({}, { cause: error }) : error;
    }
  }

  private async extend(manager: EntityManager, userId: number, planId: PaidPlan): Promise<void> {
    // Of two upgrades at once, the second one must start from the first one's end.
    const user = await this.users.lock(manager, userId);
    const now = this.clock.now();
    const end = endOf(user, now);
    const membershipExpiresAt = end && addMonths(end, PLAN_MONTHS[planId]);
    await manager.update(UserEntity, { id: userId }, { membershipType: planId, membershipExpiresAt, updatedAt: now });
    await this.events.publish(manager, membershipUpgraded(user, planId, membershipExpiresAt));
    this.principals.forget(userId);
  }
}

/** From when a new plan counts: the end of the present one or now; null when the present one has no end. */
function endOf(user: UserEntity, now: Date): Date | null {
  if (user.membershipType !== 'free' && user.membershipExpiresAt === null) {
    return null;
  }
  const end = user.membershipType === 'free' ? null : user.membershipExpiresAt;
  return end !== null && end > now ? end : now;
}
