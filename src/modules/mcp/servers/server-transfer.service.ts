import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { Database } from '../../../database/database';
import { McpServerStore } from './mcp-server.store';
import { ServerAdministrationService } from './server-administration.service';
import { hasMembers, needsClient, newFields } from './server-changes';
import type { CreateMcpServerDto } from './server-fields.dto';
import type { ImportedServersDto, McpServersFileDto } from './server-transfer.dto';

/** Exports and imports servers, without their secrets. */
@Injectable()
export class ServerTransferService {
  constructor(
    private readonly database: Database,
    private readonly store: McpServerStore,
    private readonly administration: ServerAdministrationService,
  ) {}

  async export(): Promise<McpServersFileDto> {
    const servers = (await this.store.all()).map((server): CreateMcpServerDto => ({
      label: server.label,
      url: server.url,
      auth: server.auth,
      client_id: server.clientId,
      scopes: server.scopes,
      issuer: server.issuer,
      resource: server.resource,
      pkce: server.pkce,
      groups: server.groupIds,
      allowed_tools: server.allowedTools,
      policies: server.policies,
      trust_annotations: server.trustAnnotations,
      elicitation: server.elicitation,
      timeout: server.timeout,
      protocol: server.protocol,
      is_active: server.isActive,
    }));
    return { servers };
  }

  /**
   * Imports all servers or none. Servers with a known label are changed, others are added. Servers without their secret
   * are set inactive.
   *
   * @throws McpUrlForbiddenError, ValidationFailedError
   */
  async import({ servers }: McpServersFileDto): Promise<ImportedServersDto> {
    const labels = servers.map(({ label }) => label);
    if (new Set(labels).size < labels.length) {
      throw ValidationFailedError.of('servers', 'duplicate');
    }
    for (const { url } of servers) {
      await this.administration.requireReachable(url);
    }
    return this.database.write(async (manager) => {
      const known = new Map((await this.store.all()).map(({ id, label }) => [label, id]));
      const done: ImportedServersDto = { created: 0, updated: 0, without_secret: [] };
      for (const body of servers) {
        const id = known.get(body.label);
        if (id !== undefined) {
          await this.administration.change(manager, await this.store.lock(manager, id), body);
          done.updated++;
          continue;
        }
        const fields = newFields(body);
        const needsSecret = needsClient(fields.auth) || (fields.auth === 'secret' && !hasMembers(fields.headers));
        const lacksSecret = needsSecret && fields.clientSecret === null;
        await this.administration.insert(manager, lacksSecret ? { ...fields, isActive: false } : fields);
        done.created++;
        if (lacksSecret) {
          done.without_secret.push(body.label);
        }
      }
      return done;
    });
  }
}
