import { Injectable, Logger } from '@nestjs/common';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Language } from '../../../common/i18n/language';
import { translate } from '../../../common/i18n/translator';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { ConnectionNeededError, ConnectionRequiredError } from '../../tool/tool.api';
import { type McpFault, McpServerError, McpToolChangedError } from '../mcp.errors';
import { Authorities } from '../oauth/authorities';
import { MetadataMismatch } from '../oauth/metadata-mismatch';
import { McpFailure } from '../protocol/mcp-failure';
import { isOAuth } from '../servers/mcp-server.entity';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import type { McpToolEntity } from '../tools/mcp-tool.entity';
import { type McpTool, type McpToolChanges, McpToolStore } from '../tools/mcp-tool.store';
import { ToolListService } from '../tools/tool-list.service';
import { fatalAmong } from '../tools/tool-problems';
import { mcpToolAudit } from './mcp-server.audit';
import type { McpServerTestDto } from './mcp-server.dto';
import type { DecideMcpToolDto } from './mcp-tool.dto';

/** The message of each failure. */
const FAULTS: Record<McpFault, string> = {
  timeout: 'messages.mcp_fault_timeout',
  forbidden: 'messages.mcp_fault_forbidden',
  unreachable: 'messages.mcp_fault_unreachable',
  left_alone: 'messages.mcp_fault_left_alone',
  unauthorized: 'messages.mcp_fault_unauthorized',
  authorization: 'messages.mcp_fault_authorization',
  identity_provider: 'messages.mcp_fault_identity_provider',
  refused: 'messages.mcp_fault_refused',
  failed: 'messages.mcp_fault_failed',
  too_large: 'messages.mcp_fault_too_large',
  too_many_tools: 'messages.mcp_fault_too_many_tools',
  invalid: 'messages.mcp_fault_invalid',
};

/** Lists the tools of servers for administrators, who approve them. */
@Injectable()
export class ToolAdministrationService {
  private readonly logger = new Logger(ToolAdministrationService.name);

  constructor(
    private readonly database: Database,
    private readonly servers: McpServerStore,
    private readonly tools: McpToolStore,
    private readonly lists: ToolListService,
    private readonly authorities: Authorities,
    private readonly events: DomainEvents,
  ) {}

  /**
   * The tools of a server, by name. A list that was never read is read first.
   *
   * @throws McpServerNotFoundError, ConnectionRequiredError
   */
  async list(actorId: number, serverId: number): Promise<McpTool[]> {
    const server = await this.servers.get(serverId);
    if (server.listedAt === null) {
      await this.lists.refresh(server, actorId).catch((error: unknown) => {
        requireConnection(error);
        this.logger.warn({ error, server: server.label }, 'The tools of a server could not be listed.');
      });
    }
    return this.tools.of(serverId);
  }

  /**
   * Reads the list from the server.
   *
   * @throws McpServerNotFoundError, McpServerError, ConnectionRequiredError
   */
  async refresh(actorId: number, serverId: number): Promise<McpTool[]> {
    const server = await this.servers.get(serverId);
    try {
      await this.lists.refresh(server, actorId);
    } catch (error) {
      requireConnection(error);
      throw error instanceof McpFailure ? new McpServerError(error.fault) : error;
    }
    return this.tools.of(serverId);
  }

  /**
   * Reads the list from the server and returns the result of the test.
   *
   * @throws McpServerNotFoundError, ConnectionRequiredError
   */
  async test(actorId: number, serverId: number, language: Language): Promise<McpServerTestDto> {
    const server = await this.servers.get(serverId);
    const startedAt = performance.now();
    const found = await this.tried(actorId, server);
    const list = 'fault' in found ? null : found;
    const reason = 'fault' in found ? found.fault : found.isCut ? 'too_many_tools' : null;
    return {
      ok: reason === null,
      reason,
      message: translate(language, reason === null ? 'messages.mcp_ok' : FAULTS[reason]),
      protocol: list?.protocol ?? null,
      server_name: list?.server?.name ?? null,
      server_version: list?.server?.version ?? null,
      tools: list?.tools.length ?? null,
      mismatch: found instanceof MetadataMismatch ? shown(found) : null,
      duration_ms: Math.round(performance.now() - startedAt),
    };
  }

  /** @throws McpServerNotFoundError, McpToolNotFoundError, McpToolChangedError, ValidationFailedError */
  async decide(serverId: number, name: string, { state, pin }: DecideMcpToolDto): Promise<McpTool> {
    await this.servers.get(serverId);
    return this.database.write(async (manager) => {
      const before = await this.tools.lock(manager, serverId, name);
      if (before.state === 'gone' || before.pin !== pin) {
        throw new McpToolChangedError();
      }
      const isTaken = state === 'approved' && (await this.tools.isNameTaken(manager, before));
      if (isTaken || (state === 'approved' && (before.definition === null || fatalAmong(before.problems).length > 0))) {
        throw ValidationFailedError.of('state', 'not_allowed');
      }
      const after = await this.tools.update(manager, before, changesTo(state, before));
      const change = { id: before.id, userId: null, before, after };
      await this.events.publish(manager, mcpToolAudit.change('update', change));
      return after;
    });
  }

  private async tried(
    actorId: number,
    server: McpServer,
  ): Promise<Awaited<ReturnType<ToolListService['refresh']>> | McpFailure> {
    try {
      return await this.lists.refresh(server, actorId);
    } catch (error) {
      const isAboutSignIn =
        error instanceof ConnectionNeededError || (error instanceof McpFailure && error.fault === 'authorization');
      const cause = isAboutSignIn && isOAuth(server.auth) ? await this.signInFailure(server) : null;
      if (cause !== null) {
        return cause;
      }
      requireConnection(error);
      if (error instanceof McpFailure) {
        return error;
      }
      throw error;
    }
  }

  /** Checks the OAuth metadata before any user signs in. Null: users can sign in. */
  private async signInFailure(server: McpServer): Promise<McpFailure | null> {
    try {
      const signal = AbortSignal.timeout(server.timeout * SECOND_MILLISECONDS);
      const { authority } = await this.authorities.of(server, signal);
      if (server.auth === 'oauth_user') {
        await this.authorities.requireForPeople(authority);
      }
      return null;
    } catch (error) {
      if (error instanceof McpFailure) {
        return error;
      }
      throw error;
    }
  }
}

function shown({ field, expected, actual }: MetadataMismatch): McpServerTestDto['mismatch'] {
  return { field, expected, actual };
}

/** @throws ConnectionRequiredError if reading the list requires a connection that the caller does not have */
function requireConnection(error: unknown): void {
  if (error instanceof ConnectionNeededError) {
    throw new ConnectionRequiredError(error.label);
  }
}

function changesTo(state: DecideMcpToolDto['state'], { pin, definition, problems }: McpToolEntity): McpToolChanges {
  switch (state) {
    case 'approved':
      return { state, approvedPin: pin, approvedDefinition: definition, approvedProblems: problems };
    case 'blocked':
      return { state };
    case 'quarantined':
      return { state, approvedPin: null, approvedDefinition: null, approvedProblems: [] };
  }
}
