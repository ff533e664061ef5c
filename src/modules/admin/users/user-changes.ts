import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { PaidPlan, User, UserChanges } from '../../user/user.api';
import type { UpdateUserDto } from './update-user.dto';
import type { UserFieldsDto } from './user-fields.dto';

type Membership = Pick<User, 'membershipType' | 'membershipExpiresAt'>;

/**
 * The changes of the account that the body asks for.
 *
 * @param endOfPlan gives the end of a plan for which the body has none
 * @throws ValidationFailedError when plan and end do not fit together.
 */
export function userChanges(
  user: Membership,
  body: UserFieldsDto & UpdateUserDto,
  endOfPlan: (plan: PaidPlan) => Date | null,
): UserChanges {
  return {
    ...(body.username !== undefined && { username: body.username }),
    ...(body.user_type !== undefined && { userType: body.user_type }),
    ...(body.quota_messages !== undefined && { quotaMessagesOverride: body.quota_messages }),
    ...(body.quota_tokens !== undefined && { quotaTokensOverride: body.quota_tokens }),
    ...(body.quota_storage !== undefined && { quotaStorageOverride: body.quota_storage }),
    ...(body.local_login !== undefined && { localLogin: body.local_login }),
    ...(body.note !== undefined && { adminNote: body.note }),
    ...membershipChanges(user, body, endOfPlan),
  };
}

/** @throws ValidationFailedError when a free plan is given an end. */
function membershipChanges(
  user: Membership,
  body: UserFieldsDto,
  endOfPlan: (plan: PaidPlan) => Date | null,
): Partial<Membership> {
  const { membership_type, membership_expires_at } = body;
  if (membership_type === undefined && membership_expires_at === undefined) {
    return {};
  }
  const membershipType = membership_type ?? user.membershipType;
  const end = membership_expires_at ?? null;
  if (membershipType === 'free' && end !== null) {
    throw ValidationFailedError.of('membership_expires_at', 'conflicts');
  }
  if (membership_expires_at === undefined && membershipType !== 'free') {
    return { membershipType, membershipExpiresAt: endOfPlan(membershipType) };
  }
  return { membershipType, membershipExpiresAt: end === null ? null : new Date(end) };
}
