import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { ForbiddenTargetError } from '../../../integrations/outbound-http/target-guard';
import { AgentToolRelease } from '../../agent/agent.api';
import { GroupMemberships } from '../../group/group.api';
import { ConnectionEnds } from '../connections/connection-ends';
import { McpServerInUseError, McpUrlForbiddenError } from '../mcp.errors';
import { McpHttp } from '../protocol/mcp-http';
import type { McpServerEntity } from '../servers/mcp-server.entity';
import { type McpServerFields, McpServerStore } from '../servers/mcp-server.store';
import { McpToolStore } from '../tools/mcp-tool.store';
import { SEPARATOR } from '../tools/tool-names';
import { mcpServerAudit } from './mcp-server.audit';
import { changedFields, endsConnections, newFields, requireCredentials } from './server-changes';
import type { CreateMcpServerDto, UpdateMcpServerDto } from './server-fields.dto';

/** Creates, changes and deletes servers. A change and its audit log entry are one transaction. */
@Injectable()
export class ServerAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly store: McpServerStore,
    private readonly tools: McpToolStore,
    private readonly connectionEnds: ConnectionEnds,
    private readonly http: McpHttp,
    private readonly groups: GroupMemberships,
    private readonly agents: AgentToolRelease,
    private readonly events: DomainEvents,
  ) {}

  /** @throws McpServerExistsError, McpUrlForbiddenError, ValidationFailedError */
  async create(body: CreateMcpServerDto): Promise<McpServerEntity> {
    const fields = newFields(body);
    requireCredentials(fields, Object.keys(fields.headers));
    await this.requireReachable(fields.url);
    return this.database.write((manager) => this.insert(manager, fields));
  }

  /**
   * Call it within `Database.write`.
   *
   * @throws McpServerExistsError, ValidationFailedError
   */
  async insert(manager: EntityManager, fields: McpServerFields): Promise<McpServerEntity> {
    await this.requireGroups(manager, fields);
    const created = await this.store.insert(manager, fields);
    await this.log(manager, 'create', null, created, fields);
    return created;
  }

  /**
   * Changes the fields that the body contains.
   *
   * @throws McpServerNotFoundError, McpUrlForbiddenError
   * @throws ValidationFailedError also for another host, or another way to authenticate, without new credentials
   */
  async update(id: number, body: UpdateMcpServerDto): Promise<McpServerEntity> {
    await this.store.get(id);
    if (body.url !== undefined) {
      await this.requireReachable(body.url);
    }
    return this.database.write(async (manager) => this.change(manager, await this.store.lock(manager, id), body));
  }

  /**
   * Changes a locked server. Call it within `Database.write`.
   *
   * @throws ValidationFailedError
   */
  async change(manager: EntityManager, present: McpServerEntity, body: UpdateMcpServerDto): Promise<McpServerEntity> {
    const changes = changedFields(body, present);
    if (Object.keys(changes).length === 0) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    const headerNames = changes.headers === undefined ? present.headerNames : Object.keys(changes.headers);
    requireCredentials({ ...present, ...changes }, headerNames);
    await this.requireGroups(manager, changes);
    const isOther = changes.url !== undefined && changes.url !== present.url;
    const after = await this.store.update(manager, present, changes);
    if (isOther) {
      // The stored list may belong to another server, so it is read again before the next call.
      await this.store.noteList(manager, present, { listedAt: null, listTtl: null });
    }
    if (endsConnections(present, after)) {
      await this.connectionEnds.ofServer(manager, present.id);
    } else if (changes.clientSecret !== undefined) {
      await this.connectionEnds.ofSecret(manager, present.id);
    }
    await this.log(manager, 'update', present, after, changes);
    return after;
  }

  /**
   * @param isForced whether to delete the server even if agents use its tools, which they then lose
   * @throws McpServerNotFoundError, McpServerInUseError
   */
  async remove(actorId: number, id: number, isForced: boolean): Promise<{ id: number }> {
    const { label } = await this.store.get(id);
    return this.agents.write(async (manager) => {
      const isOwn = (name: string): boolean => name.startsWith(`${label}${SEPARATOR}`);
      const count = await this.agents.release(manager, isOwn, isForced ? actorId : null);
      if (count > 0 && !isForced) {
        throw new McpServerInUseError(count);
      }
      const present = await this.store.lock(manager, id);
      await this.connectionEnds.ofServer(manager, id);
      await this.tools.removeServer(manager, id);
      await this.store.remove(manager, present);
      await this.log(manager, 'delete', present, null, {});
      return { id };
    });
  }

  /**
   * Checks the URL and the current addresses of its host name. A name without an address is accepted and resolved at
   * each call.
   *
   * @throws McpUrlForbiddenError
   */
  async requireReachable(url: string): Promise<void> {
    try {
      await this.http.check(new URL(url));
    } catch (error) {
      if (!(error instanceof ForbiddenTargetError)) {
        throw error;
      }
      if (error.reason !== 'unresolved') {
        throw new McpUrlForbiddenError(error.reason);
      }
    }
  }

  /** @throws ValidationFailedError for a group that does not exist */
  private async requireGroups(manager: EntityManager, { groupIds }: Partial<McpServerFields>): Promise<void> {
    const existing = new Set((await this.groups.lock(manager, groupIds ?? [])).map(({ id }) => id));
    const unknown = groupIds?.findIndex((id) => !existing.has(id)) ?? -1;
    if (unknown >= 0) {
      throw ValidationFailedError.of(`groups.${unknown}`, 'not_offered');
    }
  }

  private async log(
    manager: EntityManager,
    verb: string,
    before: McpServerEntity | null,
    after: McpServerEntity | null,
    { clientSecret, headers }: Partial<McpServerFields>,
  ): Promise<void> {
    const isNew = { isSecretNew: typeof clientSecret === 'string', areHeadersNew: headers !== undefined };
    const id = (after ?? before)?.id ?? null;
    const change = { id, userId: null, before, after: after && { ...after, ...isNew } };
    await this.events.publish(manager, mcpServerAudit.change(verb, change));
  }
}
