import { Injectable } from '@nestjs/common';
import { SharedClock } from '../../../database/shared-clock';
import { LegalHolds } from '../../hold/hold.api';
import { IdentityMapping } from '../../identity/identity.api';
import { UsageAccountQuery } from '../../usage/usage.api';
import { SessionQuery, User, UserService } from '../../user/user.api';
import { AdminUserDto } from './admin-user.dto';

/** Adds usage, bans, holds and the last activity to accounts. Takes four queries for any number of accounts. */
@Injectable()
export class UserActivityService {
  constructor(
    private readonly users: UserService,
    private readonly sessions: SessionQuery,
    private readonly usage: UsageAccountQuery,
    private readonly mapping: IdentityMapping,
    private readonly holds: LegalHolds,
    private readonly clock: SharedClock,
  ) {}

  async describe(user: User): Promise<AdminUserDto> {
    const [dto] = await this.describeAll([user]);
    return dto as AdminUserDto;
  }

  async describeAll(users: User[]): Promise<AdminUserDto[]> {
    const ids = users.map(({ id }) => id);
    const [totalsOf, lastUses, mapped, holdsOf] = await Promise.all([
      this.usage.totalsOf(ids),
      this.sessions.lastUses(ids),
      this.mapping.mappedOf(ids),
      this.holds.holdsOfUsers(ids),
    ]);
    return users.map((user) => {
      const { chats, messages, tokens, lastMessageDay } = totalsOf(user.id);
      return {
        ...this.users.toDto(user),
        ...closedState(user),
        erasure: erasureOf(user, holdsOf.has(user.id), this.clock.now()),
        on_hold: holdsOf.get(user.id) ?? [],
        ban_reason: this.users.isBanned(user) ? user.banReason : null,
        banned_until: this.users.isBanned(user) ? (user.bannedUntil?.toISOString() ?? null) : null,
        quota_messages: user.quotaMessagesOverride,
        quota_tokens: user.quotaTokensOverride,
        quota_storage: user.quotaStorageOverride,
        quota_embedding_tokens: user.quotaEmbeddingTokensOverride,
        local_login: user.localLogin,
        mapped_user_type: mapped.get(user.id)?.mappedUserType ?? null,
        mapped_membership_type: mapped.get(user.id)?.mappedMembershipType ?? null,
        note: user.adminNote,
        chats,
        messages,
        tokens,
        last_activity_at: latest([user.lastLoginAt, lastUses.get(user.id) ?? null, lastMessageDay]),
      };
    });
  }
}

/** The fields that differ for a closed account, whose address is free for new accounts. */
function closedState({ deletedAt, eraseAt, formerEmail }: User): object {
  return deletedAt === null || formerEmail === null
    ? {}
    : { email: formerEmail, status: 'closed', erase_at: eraseAt?.toISOString() };
}

/** An account is erased on its day unless a legal hold covers it. */
function erasureOf({ deletedAt, eraseAt, releasedAt }: User, isHeld: boolean, now: Date): AdminUserDto['erasure'] {
  if (deletedAt === null || eraseAt === null) {
    return 'none';
  }
  return isHeld && (releasedAt !== null || eraseAt <= now) ? 'held' : 'due';
}

function latest(times: (Date | null)[]): string | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(Math.max(...known.map((time) => time.getTime()))).toISOString();
}
