import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { ForbiddenTargetError } from '../../../integrations/outbound-http/target-guard';
import { AgentService } from '../../agent/agent.api';
import { GroupMemberships } from '../../group/group.api';
import { GuardCaller } from '../calling/guard-caller';
import { GuardHttp } from '../calling/guard-http';
import { TextPlaces } from '../checking/guard-spans';
import { Guards } from '../checking/guards';
import { GuardLimitError, GuardUrlForbiddenError } from '../guard.errors';
import type { GuardEntity } from '../guards/guard.entity';
import { type Guard, type GuardFields, GuardStore, newGuardSecret } from '../guards/guard.store';
import { Masks } from '../masking/masks';
import { guardAudit } from './guard.audit';
import type { GuardTestBodyDto, GuardTestDto } from './guard.dto';
import type { CreateGuardDto, GuardFieldsDto, UpdateGuardDto } from './guard-fields.dto';

const MOST_GUARDS = 20;

/** The default fields of a guard. */
const DEFAULTS = {
  url: null,
  headers: {},
  onError: 'closed',
  timeoutMs: 2_000,
  groupIds: null,
  agentIds: null,
  window: 200,
  restore: 'answer',
  rules: [],
  isActive: true,
} as const satisfies Partial<GuardFields>;

/** Creates, changes, orders, deletes and tries guards. A change and its audit log entry are one transaction. */
@Injectable()
export class GuardAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly store: GuardStore,
    private readonly http: GuardHttp,
    private readonly caller: GuardCaller,
    private readonly guards: Guards,
    private readonly groups: GroupMemberships,
    private readonly agents: AgentService,
    private readonly events: DomainEvents,
  ) {}

  /**
   * @returns the guard, and its secret if it was generated
   * @throws GuardExistsError, GuardLimitError, GuardUrlForbiddenError, ValidationFailedError
   */
  async create(body: CreateGuardDto): Promise<{ guard: Guard; secret: string | null }> {
    const { name, kind, stages, mode } = body;
    requireMembersOf(kind, body);
    if (kind === 'http' && body.url === undefined) {
      throw ValidationFailedError.of('url', 'required');
    }
    if (kind === 'builtin' && body.rules === undefined) {
      throw ValidationFailedError.of('rules', 'required');
    }
    const generated = kind === 'http' && body.secret === undefined ? newGuardSecret() : null;
    const fields = { ...DEFAULTS, rules: [], ...toFields(body), name, kind, stages, mode };
    await this.requireReachable(body.url);
    const guard = await this.database.write(async (manager) => {
      const present = await this.store.lockAll(manager);
      if (present.length >= MOST_GUARDS) {
        throw new GuardLimitError();
      }
      await this.requireTargets(manager, fields);
      const position = Math.max(0, ...present.map((one) => one.position)) + 1;
      const secret = body.secret ?? generated;
      const made = await this.store.insert(manager, { ...fields, secret }, position);
      await this.log(manager, 'create', null, made, { secret, headers: body.headers });
      return made;
    });
    await this.store.announce();
    return { guard, secret: generated };
  }

  /**
   * Changes the fields that the body contains.
   *
   * @throws GuardNotFoundError, GuardExistsError, GuardUrlForbiddenError
   * @throws ValidationFailedError also for another origin without new credentials
   */
  async update(id: number, body: UpdateGuardDto): Promise<Guard> {
    const known = this.store.get(id);
    requireMembersOf(known.kind, body);
    await this.requireReachable(body.url);
    const changes = toFields(body);
    if (Object.keys(changes).length === 0) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    const guard = await this.database.write(async (manager) => {
      const present = await this.store.lock(manager, id);
      requireNewCredentials(present, body);
      await this.requireTargets(manager, changes);
      const after = await this.store.update(manager, present, changes);
      await this.log(manager, 'update', present, after, body);
      return after;
    });
    await this.store.announce();
    return guard;
  }

  /** @throws ValidationFailedError unless these are the ids of all guards */
  async order(ids: readonly number[]): Promise<readonly Guard[]> {
    await this.database.write(async (manager) => {
      const present = await this.store.lockAll(manager);
      const unknown = ids.findIndex((id) => !present.some((guard) => guard.id === id));
      if (unknown >= 0) {
        throw ValidationFailedError.of(`ids.${unknown}`, 'not_offered');
      }
      if (ids.length < present.length) {
        throw ValidationFailedError.of('ids', 'required');
      }
      for (const guard of present) {
        const position = ids.indexOf(guard.id) + 1;
        if (position !== guard.position) {
          await this.store.place(manager, guard, position);
          await this.log(manager, 'update', guard, { ...guard, position }, {});
        }
      }
    });
    await this.store.announce();
    return this.store.all;
  }

  /** @throws GuardNotFoundError */
  async remove(id: number): Promise<{ id: number }> {
    await this.database.write(async (manager) => {
      const present = await this.store.lock(manager, id);
      await this.store.remove(manager, present);
      await this.log(manager, 'delete', present, null, {});
    });
    await this.store.announce();
    return { id };
  }

  /** Tries a guard. Only its cost, if it names one, is lost: nothing is stored. @throws GuardNotFoundError */
  async test(id: number, { text, stage, lang }: GuardTestBodyDto, principal: Principal): Promise<GuardTestDto> {
    const guard = this.store.get(id);
    const { userId, apiKeyId, groupIds } = principal;
    const place = { agent: null, language: lang ?? principal.language, chatId: null, messageId: null };
    const checked = { stage, part: 'text', text, offset: 0, final: true } as const;
    const finding = await this.caller.call(guard, checked, { userId, apiKeyId, groupIds, ...place });
    const places = new TextPlaces(text);
    return {
      action: this.guards.applied(guard).actionFor(finding),
      spans: finding.spans.map(({ start, end, type }) => ({
        start: places.toCodePoint(start),
        end: places.toCodePoint(end),
        type,
      })),
      masked: new Masks().apply(
        text,
        finding.spans.map((span) => ({ ...span, restore: guard.restore })),
      ),
      reason: finding.reason,
      duration_ms: finding.durationMs,
      error: finding.error,
    };
  }

  /** A name without an address is accepted and resolved at each call. @throws GuardUrlForbiddenError */
  private async requireReachable(url: string | undefined): Promise<void> {
    try {
      await (url === undefined ? undefined : this.http.check(new URL(url)));
    } catch (error) {
      if (!(error instanceof ForbiddenTargetError)) {
        throw error;
      }
      if (error.reason !== 'unresolved') {
        throw new GuardUrlForbiddenError(error.reason);
      }
    }
  }

  /** @throws ValidationFailedError for a group or an agent that does not exist */
  private async requireTargets(manager: EntityManager, { groupIds, agentIds }: Partial<GuardFields>): Promise<void> {
    const groups = new Set((await this.groups.lock(manager, groupIds ?? [])).map(({ id }) => id));
    requireAll('groups', groupIds ?? [], (id) => groups.has(id));
    const agents = agentIds?.length ? await this.agents.findManyForDisplay([...agentIds]) : new Map();
    requireAll('agents', agentIds ?? [], (id) => agents.has(id));
  }

  private async log(
    manager: EntityManager,
    verb: string,
    before: GuardEntity | null,
    after: GuardEntity | null,
    { secret, headers }: { secret?: string | null; headers?: Record<string, string> },
  ): Promise<void> {
    const isNew = { isSecretNew: typeof secret === 'string', areHeadersNew: headers !== undefined };
    const id = (after ?? before)?.id ?? null;
    const change = { id, userId: null, before, after: after && { ...after, ...isNew } };
    await this.events.publish(manager, guardAudit.change(verb, change));
  }
}

function requireAll(field: string, ids: readonly number[], exists: (id: number) => boolean): void {
  const unknown = ids.findIndex((id) => !exists(id));
  if (unknown >= 0) {
    throw ValidationFailedError.of(`${field}.${unknown}`, 'not_offered');
  }
}

/** @throws ValidationFailedError for members of the other kind */
function requireMembersOf(kind: Guard['kind'], body: GuardFieldsDto): void {
  const others = kind === 'http' ? (['rules'] as const) : (['url', 'secret', 'headers'] as const);
  const unused = others.find((name) => body[name] !== undefined);
  if (unused !== undefined) {
    throw ValidationFailedError.of(unused, 'not_allowed');
  }
}

/** @throws ValidationFailedError if stored credentials would be sent to another server */
function requireNewCredentials({ url, headerNames }: Guard, body: UpdateGuardDto): void {
  if (url === null || body.url === undefined || new URL(url).origin === new URL(body.url).origin) {
    return;
  }
  if (body.secret === undefined) {
    throw ValidationFailedError.of('secret', 'required');
  }
  if (headerNames.length > 0 && body.headers === undefined) {
    throw ValidationFailedError.of('headers', 'required');
  }
}

/** The fields that the body contains, without absent ones. */
function toFields(body: UpdateGuardDto): Partial<GuardFields> {
  const fields = {
    name: body.name,
    url: body.url,
    secret: body.secret,
    headers: body.headers,
    stages: body.stages,
    mode: body.mode,
    onError: body.on_error,
    timeoutMs: body.timeout_ms,
    groupIds: body.groups,
    agentIds: body.agents,
    window: body.window,
    restore: body.restore,
    rules: body.rules,
    isActive: body.is_active,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
