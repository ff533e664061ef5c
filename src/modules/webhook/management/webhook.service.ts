import { Injectable } from '@nestjs/common';
import { Page, PageQueryDto, partOf, toPage } from '../../../common/envelope/page.dto';
import { DomainEvents } from '../../../common/events/domain-events';
import { assertScope, isAdministrator, Principal } from '../../../common/security/principal';
import { RequestContext } from '../../../common/security/request-context';
import { ForbiddenError, ScopeRequiredError } from '../../../common/security/security.errors';
import { DAY_MILLISECONDS, withTimeout } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findPage, findRow } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { ForbiddenTargetError, TargetGuard } from '../../../integrations/outbound-http/target-guard';
import { WebhookWorker } from '../delivery/webhook-worker';
import { newEndpointSecret, SecretCipher } from '../endpoint/secret-cipher';
import { webhookAction } from '../endpoint/webhook.audit';
import { WebhookNotFoundError, WebhookUrlForbiddenError } from '../endpoint/webhook.errors';
import { isSigning, PreviousSecret, WebhookEndpointEntity, WebhookScope } from '../endpoint/webhook-endpoint.entity';
import { WebhookOutbox } from '../outbox/webhook-outbox';
import { EndpointStore } from './endpoint.store';
import {
  DeletedWebhookDto,
  toWebhookDto,
  toWebhookWithSecretDto,
  WebhookDto,
  WebhookWithSecretDto,
} from './webhook.dto';
import { CreateWebhookDto, UpdateWebhookDto } from './webhook-body.dto';

/** Longest time to resolve a name. After that, the URL is accepted, because every attempt checks it again. */
const RESOLVING_MILLISECONDS = 2_000;

/** Rejects URLs to which no delivery would be sent. */
@Injectable()
export class WebhookUrls {
  constructor(private readonly guard: TargetGuard) {}

  /**
   * A name that does not resolve is accepted, because it may exist when the first event is sent.
   *
   * @throws WebhookUrlForbiddenError
   */
  async assertAllowed(url: string): Promise<void> {
    try {
      await withTimeout(this.guard.addressesOf(new URL(url)), RESOLVING_MILLISECONDS, () => undefined);
    } catch (error) {
      if (!(error instanceof ForbiddenTargetError)) {
        throw error;
      }
      if (error.reason !== 'unresolved') {
        throw new WebhookUrlForbiddenError({ field: 'url', reason: error.reason });
      }
    }
  }
}

/** How long a secret still signs after its rotation. */
const ROTATION_MILLISECONDS = DAY_MILLISECONDS;

/**
 * Each adds a signature to the header of every delivery. After more rotations in a day, the oldest secret is dropped
 * early.
 */
const MOST_PREVIOUS_SECRETS = 5;

/**
 * The endpoints that users set up.
 *
 * This folder has the owners' HTTP operations. `webhook.*` files manage endpoints, `*delivery*` files show an
 * endpoint's log, and `webhook-resend` and `webhook-replay` send events again.
 */
@Injectable()
export class WebhookService {
  constructor(
    private readonly database: Database,
    private readonly store: EndpointStore,
    private readonly urls: WebhookUrls,
    private readonly cipher: SecretCipher,
    private readonly outbox: WebhookOutbox,
    private readonly worker: WebhookWorker,
    private readonly events: DomainEvents,
    private readonly clock: SharedClock,
  ) {}

  /**
   * @throws WebhookUrlForbiddenError, ForbiddenError (scope `all`), ScopeRequiredError (scope `all`, content)
   * @throws ValidationFailedError when the user has the maximum number of endpoints
   */
  async create({ principal }: RequestContext, body: CreateWebhookDto): Promise<WebhookWithSecretDto> {
    assertMayShare(principal, body.scope);
    assertMayRead(principal, body.include_content ?? false);
    await this.urls.assertAllowed(body.url);
    const now = this.clock.now();
    const secret = newEndpointSecret();
    const endpoint = await this.store.add({
      ...freshState(now),
      userId: principal.userId,
      url: body.url,
      events: body.events,
      description: body.description ?? '',
      scope: body.scope ?? 'own',
      includeContent: body.include_content ?? false,
      isActive: body.is_active ?? true,
      secret: this.cipher.encrypt(secret),
      previousSecrets: [],
      lastSuccessAt: null,
      lastFailureAt: null,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    });
    await this.outbox.noticeNewEndpoint();
    return toWebhookWithSecretDto(endpoint, secret);
  }

  async page(userId: number, query: PageQueryDto): Promise<Page<WebhookDto>> {
    const options = { order: { id: 'ASC' }, ...partOf(query) } as const;
    const { items, total } = await findPage(this.database.manager, WebhookEndpointEntity, { userId }, options);
    return toPage(items.map(toWebhookDto), total, query);
  }

  /** @throws WebhookNotFoundError */
  async get(userId: number, id: number): Promise<WebhookDto> {
    return toWebhookDto(await this.owned(userId, id));
  }

  /**
   * The user's own endpoint.
   *
   * @throws WebhookNotFoundError
   */
  async owned(userId: number, id: number): Promise<WebhookEndpointEntity> {
    const endpoint = await findRow(this.database.manager, WebhookEndpointEntity, { id, userId });
    if (!endpoint) {
      throw new WebhookNotFoundError();
    }
    return endpoint;
  }

  /**
   * @throws WebhookNotFoundError, WebhookUrlForbiddenError, ForbiddenError (scope `all`), ScopeRequiredError (scope
   * `all`, content)
   */
  async update({ principal }: RequestContext, id: number, body: UpdateWebhookDto): Promise<WebhookDto> {
    const { userId } = principal;
    // A key without the scope for `all` must not redirect all users' events to another address. A key that may not read
    // content must not redirect content either.
    const assertMayChange = ({ scope, includeContent }: WebhookEndpointEntity): void => {
      assertMayShare(principal, body.scope ?? (principal.scopes === null ? undefined : scope));
      assertMayRead(principal, body.include_content ?? includeContent);
    };
    assertMayChange(await this.owned(userId, id));
    if (body.url !== undefined) {
      await this.urls.assertAllowed(body.url);
    }
    return this.database.write(async (manager) => {
      const endpoint = await this.owned(userId, id);
      assertMayChange(endpoint);
      const changes = requestedChanges(endpoint, body, this.clock.now());
      await updateRows(manager, WebhookEndpointEntity, changes, { id });
      this.database.onCommit(() => this.worker.wake());
      const [before, after] = [toWebhookDto(endpoint), toWebhookDto({ ...endpoint, ...changes })];
      await this.events.publish(manager, webhookAction('update', endpoint, { before, after }));
      return after;
    });
  }

  /**
   * Takes effect at once. The endpoint's data is removed in small steps afterwards.
   *
   * @throws WebhookNotFoundError
   */
  async remove(userId: number, id: number): Promise<DeletedWebhookDto> {
    await this.database.write(async (manager) => {
      const endpoint = await this.owned(userId, id);
      const gone = { isActive: false, disabledReason: null, slot: null, nextDueAt: null, deletedAt: this.clock.now() };
      await updateRows(manager, WebhookEndpointEntity, gone, { id });
      const change = { before: toWebhookDto(endpoint), after: null };
      await this.events.publish(manager, webhookAction('delete', endpoint, change));
    });
    return { id };
  }

  /** @throws WebhookNotFoundError */
  async rotateSecret(userId: number, id: number): Promise<WebhookWithSecretDto> {
    const secret = newEndpointSecret();
    return this.database.write(async (manager) => {
      const endpoint = await this.owned(userId, id);
      const now = this.clock.now();
      const change = {
        secret: this.cipher.encrypt(secret),
        previousSecrets: this.stillSigning(endpoint, now),
        updatedAt: now,
      };
      await updateRows(manager, WebhookEndpointEntity, change, { id });
      const [before, after] = [toWebhookDto(endpoint), toWebhookDto({ ...endpoint, ...change })];
      await this.events.publish(manager, webhookAction('rotate_secret', endpoint, { before, after }));
      return { ...after, secret };
    });
  }

  /**
   * The secrets that sign in addition to the new one. Each stays valid for its full day, even after another rotation.
   */
  private stillSigning({ secret, previousSecrets }: WebhookEndpointEntity, now: Date): PreviousSecret[] {
    const replaced = { secret, expires_at: new Date(now.getTime() + ROTATION_MILLISECONDS).toISOString() };
    return (
      [...previousSecrets.filter((previous) => isSigning(previous, now)), replaced]
        // A rotation is also the fix if the service secret was changed and older secrets cannot be decrypted.
        .filter((previous) => this.cipher.canDecrypt(previous.secret))
        .slice(-MOST_PREVIOUS_SECRETS)
    );
  }
}

function assertMayShare(principal: Principal, scope: WebhookScope | undefined): void {
  if (scope === 'all' && !isAdministrator(principal, 'admin:write')) {
    throw principal.userType === 'admin' ? new ScopeRequiredError('admin:write') : new ForbiddenError();
  }
}

/** Content is what users write in conversations, so a key gets it only with the scope that allows reading it. */
function assertMayRead(principal: Principal, includesContent: boolean): void {
  if (includesContent) {
    assertScope(principal, 'chat:read');
  }
}

type State = Pick<
  WebhookEndpointEntity,
  | 'isActive'
  | 'activeSince'
  | 'nextDueAt'
  | 'heldUntil'
  | 'failureCount'
  | 'failingSince'
  | 'recoveredAt'
  | 'disabledReason'
  | 'disabledAt'
>;

/** The state of an endpoint without known failures. Waiting deliveries are sent now. */
function freshState(now: Date): State {
  return {
    isActive: true,
    activeSince: now,
    nextDueAt: now,
    heldUntil: null,
    failureCount: 0,
    failingSince: null,
    recoveredAt: now,
    disabledReason: null,
    disabledAt: null,
  };
}

/** The columns that an owner's request changes. The worker owns all others and may change them at the same time. */
function requestedChanges(
  endpoint: WebhookEndpointEntity,
  body: UpdateWebhookDto,
  now: Date,
): Partial<WebhookEndpointEntity> {
  const changes: Partial<WebhookEndpointEntity> = { updatedAt: now };
  if (body.url !== undefined) changes.url = body.url;
  if (body.events !== undefined) changes.events = body.events;
  if (body.description !== undefined) changes.description = body.description;
  if (body.include_content !== undefined) changes.includeContent = body.include_content;
  if (body.scope !== undefined) changes.scope = body.scope;
  return { ...changes, ...stateChanges(endpoint, body, now) };
}

function stateChanges(
  endpoint: WebhookEndpointEntity,
  body: UpdateWebhookDto,
  now: Date,
): Partial<WebhookEndpointEntity> {
  const isActive = body.is_active ?? endpoint.isActive;
  if (!isActive) {
    // If the owner switches off an endpoint that the service has disabled, the owner's decision replaces the service's.
    // The worker looks again, because deliveries requested by the owner are still sent.
    return body.is_active === false ? { isActive, nextDueAt: now, disabledReason: null, disabledAt: null } : {};
  }
  if (!endpoint.isActive) {
    return freshState(now);
  }
  // A new URL starts without recorded failures.
  const isMoved = body.url !== undefined && body.url !== endpoint.url;
  return isMoved ? { ...freshState(now), activeSince: endpoint.activeSince } : {};
}
