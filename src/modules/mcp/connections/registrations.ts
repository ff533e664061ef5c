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

/** Determines the OAuth client of this service at an authorization server. */
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

  /**
   * The client that an administrator set for an authorization server; null: none.
   *
   * @throws McpFailure if it is bound to another server
   */
  async findManual(server: McpServer, { metadata }: Authority): Promise<OAuthClient | null> {
    const known = server.clientSecret === null ? null : await this.known(server.id);
    if (known !== null && known.issuer !== metadata.issuer) {
      throw new MetadataMismatch('issuer', known.issuer, metadata.issuer);
    }
    return this.byHand(server);
  }

  /**
   * Binds a manually set secret to the first authorization server that accepts it, so that it is never sent to another
   * one.
   */
  async bind(serverId: number, { authority, client }: Pick<Grant, 'authority' | 'client'>): Promise<void> {
    if (client.kind === 'by_hand' && client.client_secret !== undefined && (await this.known(serverId)) === null) {
      await this.keep({ serverId, issuer: authority.metadata.issuer, redirectUri: '', sealed: '' });
    }
  }

  /** The client that an administrator set; null: none. */
  byHand(server: McpServer): OAuthClient | null {
    const { clientId } = server;
    const secret = this.servers.clientSecretOf(server);
    return clientId === null
      ? null
      : { kind: 'by_hand', client_id: clientId, ...(secret !== null && { client_secret: secret }) };
  }

  /**
   * Uses a client with a secret that an administrator set, else the metadata document, else a client without a secret,
   * else dynamic registration, once per server. A secret comes first because it authenticates the service, which a
   * document does not.
   *
   * @param documentUrl null: users do not reach this service by https
   * @throws McpFailure, OAuthRefusal
   */
  async clientFor(
    server: McpServer,
    authority: Authority,
    { redirectUri, documentUrl }: { redirectUri: string; documentUrl: string | null },
    signal: AbortSignal,
  ): Promise<OAuthClient> {
    const { client_id_metadata_document_supported: takesDocuments, registration_endpoint, issuer } = authority.metadata;
    const own = await this.findManual(server, authority);
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

  /** The client metadata of this service. */
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

  /** Removes a registration that the server no longer knows. */
  async forget(serverId: number): Promise<void> {
    await this.database.write((manager) => deleteRows(manager, McpRegistrationEntity, { serverId }));
  }

  private known(serverId: number): Promise<McpRegistrationEntity | null> {
    return findRow(this.database.manager, McpRegistrationEntity, { serverId });
  }

  private async keep(row: Omit<McpRegistrationEntity, 'id'>): Promise<void> {
    await this.database.write((manager) => upsertRows(manager, McpRegistrationEntity, [row], ['serverId']));
  }

  /** Re-encrypts all rows with the current service secret, so that the previous one can be removed. */
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

  /** Null if it was encrypted with another service secret; the service then registers again. */
  private open(sealed: string): string | null {
    return this.cipher.decryptOrNull(sealed);
  }
}
