import { Injectable } from '@nestjs/common';
import { type EntityManager, In, IsNull, MoreThan, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { GroupMemberships, GroupStore } from '../../group/group.api';
import { SettingsService, UserService } from '../../user/user.api';
import { IdentityEntity } from '../identities/identity.entity';
import { IdentityStore } from '../identities/identity.store';
import { IdentityProviderInUseError, LastLoginMethodError } from '../identity.errors';
import { IdentityMapping } from '../mapping/identity-mapping';
import { ProviderHttp } from '../protocol/provider-http';
import { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { type IdentityProviderFields, IdentityProviderStore } from '../providers/identity-provider.store';
import { isOpenToAll, servesAllTenants } from '../providers/provider-rules';
import { SignInStore } from '../sign-in/sign-in.store';
import { identityProviderAudit } from './identity-provider.audit';
import type {
  CreateIdentityProviderDto,
  IdentityProviderFieldsDto,
  UpdateIdentityProviderDto,
} from './provider-fields.dto';

/** Ensures that at least one administrator can still sign in. */
@Injectable()
export class AdministratorWays {
  constructor(
    private readonly settings: SettingsService,
    private readonly users: UserService,
    private readonly clock: Clock,
  ) {}

  /**
   * Within `Database.write`: call it before a provider is deleted or switched off. If no administrator can use a
   * password, one must have signed in with another provider within the last day.
   *
   * @throws LastLoginMethodError when no administrator could sign in any more
   */
  async assertRemain(manager: EntityManager, goneProviderId: number): Promise<void> {
    const settings = await this.settings.lock(manager);
    const administrators = await this.users.lockAdministrators(manager);
    const isOff = settings.password_login === 'off';
    const hasPassword = !isOff && administrators.some(({ localLogin }) => localLogin);
    if (administrators.length === 0 || hasPassword) {
      return;
    }
    await this.assertEnter(manager, administrators, goneProviderId, isOff);
  }

  /**
   * Within `Database.write`, with the settings locked: call it before passwords are switched off.
   *
   * @throws LastLoginMethodError when no administrator has signed in with an active provider within the last day
   */
  async assertPasswordsMayClose(manager: EntityManager): Promise<void> {
    await this.assertEnter(manager, await this.users.lockAdministrators(manager), 0, true);
  }

  private async assertEnter(
    manager: EntityManager,
    administrators: readonly { id: number }[],
    goneProviderId: number,
    isWithinTheDay: boolean,
  ): Promise<void> {
    // Reads the database instead of the cache: another administrator may have just switched off a provider in a
    // transaction that is already committed.
    const others = await findRows(manager, IdentityProviderEntity, { isActive: true, id: Not(goneProviderId) });
    const identities = await findRows(manager, IdentityEntity, {
      userId: In(administrators.map(({ id }) => id)),
      providerId: In(others.map(({ id }) => id)),
      unlinkedAt: IsNull(),
      ...(isWithinTheDay && { lastUsedAt: MoreThan(new Date(this.clock.now().getTime() - DAY_MILLISECONDS)) }),
    });
    if (identities.length === 0) {
      throw new LastLoginMethodError();
    }
  }
}

/** Default settings of a new provider. */
export const PROVIDER_DEFAULTS: Omit<IdentityProviderFields, 'slug' | 'name' | 'issuer' | 'clientId'> = {
  clientSecret: null,
  scopes: 'openid email profile',
  claims: { email: 'email', name: 'name', groups: 'groups' },
  claimSource: 'id_token',
  emailTrusted: false,
  jit: 'off',
  allowedDomains: [],
  requiredGroups: [],
  mappings: [],
  groupsOverage: 'refuse',
  logout: 'none',
  scimMatch: 'sub',
  sessionMaxAge: null,
  keyDays: null,
  acceptTokens: null,
  isActive: true,
  isFromEnvironment: false,
};

/** Changes identity providers. A change and its audit log entry are one transaction. */
@Injectable()
export class IdentityProviderAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly store: IdentityProviderStore,
    private readonly identities: IdentityStore,
    private readonly signIns: SignInStore,
    private readonly mapping: IdentityMapping,
    private readonly groups: GroupMemberships,
    private readonly groupStore: GroupStore,
    private readonly ways: AdministratorWays,
    private readonly http: ProviderHttp,
    private readonly events: DomainEvents,
  ) {}

  /** @throws IdentityProviderExistsError, ValidationFailedError */
  async create(body: CreateIdentityProviderDto): Promise<IdentityProviderEntity> {
    const { slug, name, issuer, client_id: clientId } = body;
    const fields = { ...PROVIDER_DEFAULTS, ...toFields(body, PROVIDER_DEFAULTS), slug, name, issuer, clientId };
    this.assertUsable(fields);
    return this.database.write(async (manager) => {
      await this.assertGroups(manager, fields);
      const created = await this.store.insert(manager, fields);
      await this.log(manager, 'create', null, created, { isSecretNew: fields.clientSecret !== null });
      return created;
    });
  }

  /**
   * Changes the fields of the body.
   *
   * @throws IdentityProviderNotFoundError, IdentityProviderExistsError, LastLoginMethodError
   * @throws ValidationFailedError also on `client_secret` if the issuer changes without a new secret, and on
   * `end_sessions` while the provider is active
   */
  async update(id: number, body: UpdateIdentityProviderDto): Promise<IdentityProviderEntity> {
    const known = await this.store.get(id);
    const hasEndedSessions = body.end_sessions === true;
    if (Object.keys(changesOf(body, known)).length === 0 && !hasEndedSessions) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    return this.database.write(async (manager) => {
      const present = await this.store.lock(manager, id);
      const changes = changesOf(body, present);
      // Two administrators may each have set one of two conflicting fields.
      this.assertUsable({ ...present, ...changes });
      await this.assertMayMove(manager, present, changes);
      await this.assertGroups(manager, changes);
      if (hasEndedSessions) {
        await this.endSessions(manager, { ...present, ...changes });
      }
      if (changes.isActive === false && present.isActive) {
        await this.ways.assertRemain(manager, id);
      }
      const after = await this.store.update(manager, present, changes);
      const isSecretNew = typeof changes.clientSecret === 'string';
      await this.log(manager, 'update', present, after, { isSecretNew, hasEndedSessions });
      return after;
    });
  }

  /**
   * @param isForced whether to delete the provider even if accounts have identities of it, which are then deleted too
   * @throws IdentityProviderNotFoundError, IdentityProviderInUseError, LastLoginMethodError
   */
  async remove(id: number, isForced: boolean): Promise<{ id: number }> {
    return this.database.write(async (manager) => {
      const present = await this.store.lock(manager, id);
      // Must come first: it waits for concurrent sign-ins, so that the following steps see their identities and
      // sessions.
      await this.signIns.removeOfProvider(manager, id);
      const count = await this.identities.countOfProvider(id);
      if (count > 0 && !isForced) {
        throw new IdentityProviderInUseError(count);
      }
      await this.ways.assertRemain(manager, id);
      const gone = await this.identities.removeOfProvider(manager, id);
      for (const userId of new Set(gone.map((identity) => identity.userId))) {
        await this.mapping.refresh(manager, userId, id);
      }
      await this.groupStore.releaseDirectory(manager, id);
      await this.store.remove(manager, present);
      await this.log(manager, 'delete', present, null, {});
      return { id };
    });
  }

  /** @throws ValidationFailedError if the provider is active, because users could sign in again at once */
  private async endSessions(manager: EntityManager, { id, isActive }: IdentityProviderEntity): Promise<void> {
    if (isActive) {
      throw ValidationFailedError.of('end_sessions', 'conflicts');
    }
    // Must come first: it waits for concurrent sign-ins, so that the next step sees their sessions.
    await this.signIns.removeOfProvider(manager, id);
    await this.identities.endSessionsOfProvider(manager, id);
  }

  /** @throws ValidationFailedError */
  private assertUsable(fields: IdentityProviderFields): void {
    const { issuer, jit, allowedDomains, mappings, acceptTokens, clientId } = fields;
    if (servesAllTenants(issuer) || !this.isReachable(issuer)) {
      throw ValidationFailedError.of('issuer', 'not_allowed');
    }
    if (jit === 'all' && isOpenToAll(issuer)) {
      throw ValidationFailedError.of('jit', 'not_allowed');
    }
    if (jit === 'domains' && allowedDomains.length === 0) {
      throw ValidationFailedError.of('allowed_domains', 'required');
    }
    if (acceptTokens?.audience === clientId) {
      throw ValidationFailedError.of('accept_tokens.audience', 'conflicts');
    }
    const empty = mappings.findIndex(
      ({ user_type, membership_type, group }) => !user_type && !membership_type && !group,
    );
    if (empty >= 0) {
      throw ValidationFailedError.of(`mappings.${empty}`, 'required');
    }
  }

  /** Locks the groups of the mappings. @throws ValidationFailedError */
  private async assertGroups(
    manager: EntityManager,
    { mappings = [] }: Partial<Pick<IdentityProviderFields, 'mappings'>>,
  ): Promise<void> {
    const ids = mappings.flatMap(({ group }) => (group === undefined ? [] : [group]));
    const existing = new Set((await this.groups.lock(manager, ids)).map(({ id }) => id));
    const unknown = mappings.findIndex(({ group }) => group !== undefined && !existing.has(group));
    if (unknown >= 0) {
      throw ValidationFailedError.of(`mappings.${unknown}.group`, 'not_allowed');
    }
  }

  /** Checks only the address itself. Names are resolved at each request. */
  private isReachable(issuer: string): boolean {
    try {
      this.http.checkUrl(new URL(issuer));
      return true;
    } catch {
      return false;
    }
  }

  /** A secret is never sent to another issuer, and identities cannot move to another issuer. */
  private async assertMayMove(
    manager: EntityManager,
    present: IdentityProviderEntity,
    changes: Partial<IdentityProviderFields>,
  ): Promise<void> {
    if (changes.issuer === undefined || changes.issuer === present.issuer) {
      return;
    }
    // Waits for concurrent sign-ins, so that the count includes their identities.
    await this.signIns.removeOfProvider(manager, present.id);
    if ((await this.identities.countOfProvider(present.id)) > 0) {
      throw ValidationFailedError.of('issuer', 'conflicts');
    }
    if (changes.clientSecret === undefined && present.clientSecret !== null) {
      throw ValidationFailedError.of('client_secret', 'required');
    }
  }

  private async log(
    manager: EntityManager,
    verb: string,
    before: IdentityProviderEntity | null,
    after: IdentityProviderEntity | null,
    notes: { isSecretNew?: boolean; hasEndedSessions?: boolean },
  ): Promise<void> {
    const id = (after ?? before)?.id ?? null;
    const change = { id, userId: null, before, after: after && { ...after, ...notes } };
    await this.events.publish(manager, identityProviderAudit.change(verb, change));
  }
}

/** @throws ValidationFailedError on a field that the environment sets */
function changesOf(body: UpdateIdentityProviderDto, present: IdentityProviderEntity): Partial<IdentityProviderFields> {
  const { name, issuer, client_id: clientId } = body;
  const own = defined({ name, issuer, clientId });
  if (present.isFromEnvironment) {
    const names = { name: 'name', issuer: 'issuer', clientId: 'client_id' } as const;
    for (const [member, field] of Object.entries(names)) {
      const key = member as keyof typeof names;
      if (own[key] !== undefined && own[key] !== present[key]) {
        throw ValidationFailedError.of(field, 'not_allowed');
      }
    }
    if (body.client_secret !== undefined) {
      throw ValidationFailedError.of('client_secret', 'not_allowed');
    }
  }
  return { ...own, ...toFields(body, present) };
}

/** The entity fields set by the body. Absent fields stay absent. */
function toFields(
  body: IdentityProviderFieldsDto,
  { claims }: Pick<IdentityProviderFields, 'claims'>,
): Partial<IdentityProviderFields> {
  return defined<Partial<IdentityProviderFields>>({
    clientSecret: body.client_secret,
    scopes: body.scopes,
    claims: body.claims && { ...claims, ...defined({ ...body.claims }) },
    claimSource: body.claim_source,
    emailTrusted: body.email_trusted,
    jit: body.jit,
    allowedDomains: body.allowed_domains,
    requiredGroups: body.required_groups,
    mappings: body.mappings?.map((mapping) => defined({ ...mapping }) as (typeof PROVIDER_DEFAULTS.mappings)[number]),
    groupsOverage: body.groups_overage,
    logout: body.logout,
    scimMatch: body.scim_match,
    sessionMaxAge: body.session_max_age,
    keyDays: body.key_days,
    acceptTokens: body.accept_tokens && { ...body.accept_tokens },
    isActive: body.is_active,
  });
}

function defined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}
