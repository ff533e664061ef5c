import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { DEFAULT_NAME, SettingsService } from '../../user/user.api';
import { MetadataMismatch } from '../oauth/metadata-mismatch';
import type { Authority, Grant, OAuthClient } from '../oauth/oauth-grant';
import { type RegisteredMetadata, TokenRequests } from '../oauth/token-requests';
import { McpFailure } from '../protocol/mcp-failure';
import { type McpServer, McpServerCipher, McpServerStore } from '../servers/mcp-server.store';
import { McpRegistrationEntity } from './registration.entity';

/** Decides what this service is at an authorization server. */
@Injectable()
export class Registrations {
  constructor(
    private readonly database: Database,
    private readonly cipher: McpServerCipher,
    private readonly servers: McpServerStore,
    private readonly settings: SettingsService,
    private readonly requests: TokenRequests,
    serviceSecret: ServiceSecret,
  ) {
    if (serviceSecret.isBeingRotated) {
      database.onReady(() => this.renewSecrets());
    }
  }

  /** As an administrator registered it at an authorization server; null: nobody did. @throws McpFailure where it was at another one */
  async byHandAt(server: McpServer, { metadata }: Authority): Promise<OAuthClient | null> {
    const known = server.clientSecret === null ? null : await this.known(server.id);
    if (known !== null && known.issuer !== metadata.issuer) {
      throw new MetadataMismatch('issuer', known.issuer, metadata.issuer);
    }
    return this.byHand(server);
  }

  /** A secret that was set by hand belongs to the authorization server that took it first: no other one is told it. */
  async bind(serverId: number, { authority, client }: Pick<Grant, 'authority' | 'client'>): Promise<void> {
    if (client.kind === 'by_hand' && client.client_secret !== undefined && (await this.known(serverId)) === null) {
      await this.keep({ serverId, issuer: authority.metadata.issuer, redirectUri: '', sealed: '' });
    }
  }

  /** As an administrator registered it; null: nobody did. */
  byHand(server: McpServer): OAuthClient | null {
    const { clientId } = server;
    const secret = this.servers.clientSecretOf(server);
    return clientId === null
      ? null
      : { kind: 'by_hand', client_id: clientId, ...(secret !== null && { client_secret: secret }) };
  }

  /**
   * By the address of a document, else registered by hand, else by asking, once for each server. A secret that was set is used:
   * it proves who asks, as no document does.
   *
   * @param documentUrl null: people do not reach this service by https
   * @throws McpFailure, OAuthRefusal
   */
  async clientFor(
    server: McpServer,
    authority: Authority,
    { redirectUri, documentUrl }: { redirectUri: string; documentUrl: string | null },
    signal: AbortSignal,
  ): Promise<OAuthClient> {
    const { client_id_metadata_document_supported: takesDocuments, registration_endpoint, issuer } = authority.metadata;
    const own = await this.byHandAt(server, authority);
    if (takesDocuments === true && documentUrl !== null && server.clientSecret === null) {
      return { kind: 'document', client_id: documentUrl, token_endpoint_auth_method: 'none' };
    }
    if (own !== null) {
      return own;
    }
    const known = await this.known(server.id);
    const text = known?.issuer === issuer && known.redirectUri === redirectUri ? this.open(known.sealed) : null;
    if (text !== null) {
      return JSON.parse(text) as OAuthClient;
    }
    if (registration_endpoint === undefined) {
      throw new McpFailure('authorization');
    }
    const made = await this.requests.register(authority, await this.describe(redirectUri), signal);
    await this.keep({ serverId: server.id, issuer, redirectUri, sealed: this.cipher.encrypt(JSON.stringify(made)) });
    return made;
  }

  /** What this service says of itself. */
  async describe(redirectUri: string): Promise<RegisteredMetadata> {
    const { name } = await this.settings.get();
    return {
      client_name: name ?? DEFAULT_NAME,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    };
  }

  /** The server does not know what it registered any more. */
  async forget(serverId: number): Promise<void> {
    await this.database.write((manager) => deleteRows(manager, McpRegistrationEntity, { serverId }));
  }

  private known(serverId: number): Promise<McpRegistrationEntity | null> {
    return findRow(this.database.manager, McpRegistrationEntity, { serverId });
  }

  private async keep(row: Omit<McpRegistrationEntity, 'id'>): Promise<void> {
    await this.database.write((manager) => upsertRows(manager, McpRegistrationEntity, [row], ['serverId']));
  }

  /** Encrypts all with the present service secret, so that the previous one can go. */
  private renewSecrets(): Promise<void> {
    return this.database.write(async (manager) => {
      for (const { id, sealed } of await findRows(manager, McpRegistrationEntity, {}, { lock: 'wait' })) {
        const renewed = this.cipher.renew(sealed);
        if (renewed !== null) {
          await updateRows(manager, McpRegistrationEntity, { sealed: renewed }, { id });
        }
      }
    });
  }

  /** What another service secret has encrypted is asked for again. */
  private open(sealed: string): string | null {
    return this.cipher.decryptOrNull(sealed);
  }
}
