import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { type Page, type PageQueryDto, partOf, toPage } from '../../../common/envelope/page.dto';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import type { RequestContext } from '../../../common/security/request-context';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findPage, findRow } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import type { RowCondition } from '../../../database/statements/row-condition';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { GroupMemberships } from '../../group/group.api';
import { RegistrationPolicy } from '../../user/user.api';
import { INVITATION } from '../auth.mails';
import { invitationAudit } from './invitation.audit';
import { type CreateInvitationDto, type InvitationDto, type NewInvitationDto, toInvitationDto } from './invitation.dto';
import { InvitationEntity } from './invitation.entity';
import { InvitationInvalidError, InvitationNotFoundError } from './invitation.errors';

/** 128 bits, which cannot be guessed. */
const TOKEN_BYTES = 16;

const LIFETIME_MILLISECONDS = 7 * DAY_MILLISECONDS;

const LONGEST_LIFETIME_MILLISECONDS = 366 * DAY_MILLISECONDS;

/** Lets people register by a link, each link once. Settings that disable password login also disable invitations. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly policy: RegistrationPolicy,
    private readonly memberships: GroupMemberships,
    private readonly mails: MailQueue,
  ) {}

  /**
   * @param page the address of the registration page
   * @throws ValidationFailedError when the expiry is in the past or more than a year away, a group does not exist, or
   * there is no address to send the link to
   */
  async create(
    { principal, language }: RequestContext,
    { email, membership_type, group_ids = [], send = false, expires_at }: CreateInvitationDto,
    page: string,
  ): Promise<NewInvitationDto> {
    const expiresAt = this.expiryOf(expires_at);
    await this.assertGroups(group_ids);
    const to = send ? this.assertAddress(email) : null;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const url = `${page}?invitation=${token}`;
    const invitation = await this.database.write(async (manager) => {
      const added = await insertEntity(manager, InvitationEntity, {
        tokenHash: hashOf(token),
        email: email ?? null,
        membershipType: membership_type ?? 'free',
        groupIds: group_ids.length === 0 ? null : group_ids,
        createdBy: principal.userId,
        userId: null,
        usedAt: null,
        expiresAt,
        createdAt: this.clock.now(),
      });
      if (to !== null) {
        const values = { url, expiresAt: expiresAt.toISOString() };
        await this.mails.enqueue(manager, { mail: INVITATION, to, language, values, expiresAt });
      }
      await this.events.publish(
        manager,
        invitationAudit.change('create', { id: added.id, userId: null, before: null, after: added }),
      );
      return added;
    });
    return { ...toInvitationDto(invitation), url, token, sent: to !== null && this.mails.hasServer };
  }

  /** Usable invitations, newest first. */
  async list(query: PageQueryDto): Promise<Page<InvitationDto>> {
    const { limit, offset } = partOf(query);
    const order = { id: 'DESC' } as const;
    const { items, total } = await findPage(this.database.manager, InvitationEntity, this.living(), {
      limit,
      offset,
      order,
    });
    return toPage(items.map(toInvitationDto), total, query);
  }

  /** @throws InvitationNotFoundError */
  async remove(id: number): Promise<void> {
    await this.database.write(async (manager) => {
      const before = await findLocked(manager, InvitationEntity, { id });
      if (before === null || before.usedAt !== null || before.expiresAt <= this.clock.now()) {
        throw new InvitationNotFoundError();
      }
      await deleteRows(manager, InvitationEntity, { id });
      await this.events.publish(manager, invitationAudit.change('delete', { id, userId: null, before, after: null }));
    });
  }

  /**
   * Checks whether this address may register now.
   *
   * @returns the invitation, if the registration needs one
   * @throws InvitationInvalidError, RegistrationDisabledError, ValidationFailedError
   */
  async assertMayRegister(email: string, token?: string): Promise<InvitationEntity | null> {
    if (token === undefined) {
      await this.policy.assertMayRegister(email);
      return null;
    }
    const { condition, parameters } = this.living();
    const invitation = await findRow(this.database.manager, InvitationEntity, {
      condition: `token_hash = ? AND ${condition}`,
      parameters: [hashOf(token), ...parameters],
    });
    if (invitation === null || (invitation.email !== null && invitation.email !== email)) {
      throw new InvitationInvalidError();
    }
    return invitation;
  }

  /**
   * Adds the new account to the groups of its invitation. If two people use the same link, only the first one
   * registers.
   *
   * @throws InvitationInvalidError
   */
  async use(manager: EntityManager, invitation: InvitationEntity, userId: number): Promise<void> {
    const usedAt = this.clock.now();
    const { condition, parameters } = this.living();
    const used = await updateRows(manager, InvitationEntity, { userId, usedAt }, `id = ? AND ${condition}`, [
      invitation.id,
      ...parameters,
    ]);
    if (used === 0) {
      throw new InvitationInvalidError();
    }
    await this.memberships.replaceGroups(manager, userId, { kind: 'admin' }, invitation.groupIds ?? []);
  }

  private expiryOf(expiresAt: string | null | undefined): Date {
    const now = this.clock.now();
    const end = new Date(expiresAt ?? now.getTime() + LIFETIME_MILLISECONDS);
    const lifetime = end.getTime() - now.getTime();
    if (lifetime <= 0 || lifetime > LONGEST_LIFETIME_MILLISECONDS) {
      throw ValidationFailedError.of('expires_at', 'out_of_range');
    }
    return end;
  }

  private async assertGroups(ids: readonly number[]): Promise<void> {
    const existing = new Set(ids.length === 0 ? [] : await this.memberships.existing(ids));
    const unknown = ids.findIndex((id) => !existing.has(id));
    if (unknown >= 0) {
      throw ValidationFailedError.of(`group_ids.${unknown}`, 'not_allowed');
    }
  }

  private assertAddress(email: string | null | undefined): string {
    if (email === undefined || email === null) {
      throw ValidationFailedError.of('email', 'required');
    }
    return email;
  }

  private living(): RowCondition {
    return { condition: 'used_at IS NULL AND expires_at > ?', parameters: [this.clock.now()] };
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
