import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import type { RequestContext } from '../../../common/security/request-context';
import { ForbiddenError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { rowExists } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { addMonths, PaidPlan, PLAN_MONTHS } from '../account/plans';
import { UserEntity } from '../account/user.entity';
import { PaymentProofExpiredError, PaymentRequiredError } from '../account/user.errors';
import { membershipUpgraded } from '../account/user.events';
import { UserService } from '../management/user.service';
import { PrincipalService } from '../sessions/principal.service';
import { MembershipConfig } from './membership.config';
import { PaymentEntity } from './payment.entity';
import { PaymentVerifier } from './payment-verifier';
import { UpgradeDto } from './upgrade.dto';

type PaymentKey = Pick<PaymentEntity, 'paymentId' | 'userId' | 'planId'>;

/**
 * Converts payments into paid plans (specification §4.3). `UPGRADE_MODE` decides who may do so, and with which proof.
 */
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
   * Adds the plan to the user's membership. Returns false without a change if the same payment has already counted.
   *
   * @throws ForbiddenError when only administrators may upgrade accounts
   * @throws PaymentRequiredError when the payment needs a proof and has none, or was used for another user or plan
   */
  async upgrade({ principal }: RequestContext, upgrade: UpgradeDto): Promise<boolean> {
    const { userId } = principal;
    const paymentOf = (paymentId: string): PaymentKey => ({ paymentId, userId, planId: upgrade.plan_id });
    const proof = await this.proofOfPayment(principal, upgrade).catch((error: unknown) => expiredProof(error));
    if (proof instanceof PaymentProofExpiredError) {
      return this.assertCounted(paymentOf(proof.paymentId), proof);
    }
    const payment = proof === null ? null : paymentOf(proof);
    try {
      await this.database.write(async (manager) => {
        if (payment) {
          await insertRow(manager, PaymentEntity, { ...payment, createdAt: this.clock.now() });
        }
        await this.extend(manager, userId, upgrade.plan_id);
      });
      return true;
    } catch (error) {
      if (!payment || !isUniqueViolation(error, 'payment_id')) {
        throw error;
      }
      return this.assertCounted(payment, error);
    }
  }

  /** @returns false, for a payment that was counted for this user and plan */
  private async assertCounted(payment: PaymentKey, cause: unknown): Promise<false> {
    if (!(await rowExists(this.database.manager, PaymentEntity, payment))) {
      throw new PaymentRequiredError({}, { cause });
    }
    return false;
  }

  /** The id of the payment. Null if no proof is needed. */
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

  private async extend(manager: EntityManager, userId: number, planId: PaidPlan): Promise<void> {
    // Of two concurrent upgrades, the second one must start where the first one ends.
    const user = await this.users.lock(manager, userId);
    const now = this.clock.now();
    const end = endOf(user, now);
    const membershipExpiresAt = end && addMonths(end, PLAN_MONTHS[planId]);
    await updateRows(
      manager,
      UserEntity,
      { membershipType: planId, membershipExpiresAt, updatedAt: now },
      { id: userId },
    );
    await this.events.publish(manager, membershipUpgraded(user, planId, membershipExpiresAt));
    this.principals.forget(userId);
  }
}

/** @throws any other error */
function expiredProof(error: unknown): PaymentProofExpiredError {
  if (error instanceof PaymentProofExpiredError) {
    return error;
  }
  throw error;
}

/** When a new plan starts: at the end of the current one, or now. Null if the current one has no end. */
function endOf(user: UserEntity, now: Date): Date | null {
  if (user.membershipType !== 'free' && user.membershipExpiresAt === null) {
    return null;
  }
  const end = user.membershipType === 'free' ? null : user.membershipExpiresAt;
  return end !== null && end > now ? end : now;
}
