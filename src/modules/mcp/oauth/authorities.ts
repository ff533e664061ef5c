import { Injectable, Logger } from '@nestjs/common';
import { McpFailure } from '../protocol/mcp-failure';
import { loadMcpSdk } from '../protocol/mcp-sdk';
import { type NamedFetch, NamedHttp, type Reach } from '../protocol/named-http';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { parseScopes } from '../servers/parse-scopes';
import { MetadataMismatch } from './metadata-mismatch';
import { oauthStep } from './oauth-failure';
import { type Authority, keptMetadata, type SaidOfScopes } from './oauth-grant';

/**
 * The metadata of an authorization server without a list of PKCE methods, if an administrator has confirmed PKCE
 * support.
 */
const S256 = { code_challenge_methods_supported: ['S256'] };

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Any request works: without a token, the server refuses it with the URL of its metadata before reading the body. */
const PROBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** The protected resource metadata of a server (RFC 9728). */
interface Resource {
  resource: string;
  issuer: string;
}

/** Discovers the authorization server of an MCP server, and its metadata. */
@Injectable()
export class Authorities {
  private readonly logger = new Logger(Authorities.name);

  constructor(
    private readonly http: NamedHttp,
    private readonly servers: McpServerStore,
  ) {}

  /** @throws McpFailure */
  async of(server: McpServer, signal: AbortSignal): Promise<SaidOfScopes & { authority: Authority }> {
    try {
      return await this.found(server, signal);
    } catch (error) {
      if (error instanceof MetadataMismatch) {
        const { field, expected, actual } = error;
        this.logger.warn({ server: server.label, field, expected, actual }, 'The metadata of a server does not fit.');
      }
      throw error;
    }
  }

  private found(server: McpServer, signal: AbortSignal): Promise<SaidOfScopes & { authority: Authority }> {
    return oauthStep(async () => {
      const { discoverAuthorizationServerMetadata } = loadMcpSdk();
      const url = new URL(server.url);
      const reach = await this.http.reachOf(url);
      const fetch = this.http.fetchFor(reach, signal);
      const { metadataUrl, scope } = await this.challengeOf(server, reach, signal);
      const { resource, issuer } = (await this.resourceOf(server, metadataUrl, fetch)) ?? ownAuthority(server);
      // The issuer is checked below, because an administrator may have set another one than the MCP server names.
      const metadata = await discoverAuthorizationServerMetadata(issuer, {
        fetchFn: fetch,
        skipIssuerValidation: true,
      });
      if (metadata === undefined) {
        throw new McpFailure('authorization');
      }
      requireIssuer(server, metadata.issuer, issuer);
      const kept = keptMetadata(metadata);
      const authority = { reach, resource, metadata: server.pkce === 'assumed' ? { ...kept, ...S256 } : kept };
      return {
        authority,
        demanded: scope === undefined ? null : parseScopes(scope),
        known: metadata.scopes_supported ?? null,
      };
    });
  }

  /**
   * Checks that users can be sent there: it must support PKCE with S256, and its authorization endpoint must be allowed
   * for users.
   *
   * @throws McpFailure
   */
  async requireForPeople({ reach, metadata }: Authority): Promise<void> {
    const { code_challenge_methods_supported: methods, authorization_endpoint: endpoint } = metadata;
    if (!Array.isArray(methods) || !methods.includes('S256')) {
      throw new MetadataMismatch('pkce', 'S256', methods);
    }
    await this.http.checkForPeople(reach, new URL(endpoint));
  }

  /** The server's challenge to a request without a token. */
  private async challengeOf(
    server: McpServer,
    reach: Reach,
    signal: AbortSignal,
  ): Promise<{ metadataUrl?: URL; scope?: string }> {
    const headers = {
      ...this.servers.headersOf(server),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const answer = await this.http.head(reach, new URL(server.url), { method: 'POST', headers, body: PROBE }, signal);
    const { resourceMetadataUrl: metadataUrl, scope } = loadMcpSdk().extractWWWAuthenticateParams(answer);
    return answer.status === 401 ? { metadataUrl, scope } : {};
  }

  /**
   * Null if the server has no resource metadata.
   *
   * @throws McpFailure if the metadata is that of another resource
   */
  private async resourceOf(server: McpServer, named: URL | undefined, fetch: NamedFetch): Promise<Resource | null> {
    const { discoverOAuthProtectedResourceMetadata } = loadMcpSdk();
    const url = new URL(server.url);
    for (const address of placesOf(url, named)) {
      let status = 0;
      const noting: NamedFetch = async (...request) => {
        const answer = await fetch(...request);
        ({ status } = answer);
        return answer;
      };
      try {
        const found = await discoverOAuthProtectedResourceMetadata(url, { resourceMetadataUrl: address }, noting);
        requireResource(server, found.resource);
        const issuers = found.authorization_servers ?? [];
        const issuer = issuers.find((one) => one === server.issuer) ?? issuers[0];
        if (issuer === undefined) {
          throw new McpFailure('authorization');
        }
        return { resource: found.resource, issuer };
      } catch (error) {
        if (status < 400 || status >= 500) {
          throw error;
        }
      }
    }
    return null;
  }
}

/** The possible URLs of the metadata (RFC 9728 section 3.1). */
function placesOf(server: URL, named: URL | undefined): URL[] {
  const root = new URL(WELL_KNOWN, server);
  const own = new URL(`${WELL_KNOWN}${server.pathname.replace(/\/$/, '')}${server.search}`, server);
  return named !== undefined ? [named] : server.pathname === '/' ? [root] : [own, root];
}

/** A server without metadata (protocol version 2025-03-26) is its own authorization server. */
function ownAuthority({ url, resource }: McpServer): Resource {
  const { origin, href } = new URL(url);
  return { resource: resource ?? href, issuer: origin };
}

/**
 * @throws MetadataMismatch if the metadata has neither the issuer that an administrator set nor, if none is set, the
 * expected one
 */
function requireIssuer({ issuer: set }: McpServer, actual: string, named: string): void {
  if (set === null ? !isSameAddress(actual, named) : actual !== set) {
    throw new MetadataMismatch('issuer', set ?? named, actual);
  }
}

/** @throws MetadataMismatch if the metadata belongs to another resource */
function requireResource({ url, resource: set }: McpServer, actual: string): void {
  if (set === null ? !isResourceOf(actual, new URL(url)) : actual !== set) {
    throw new MetadataMismatch('resource', set ?? url, actual);
  }
}

/** Whether a resource has the origin of the server, and its path or a parent path, with or without a trailing slash. */
function isResourceOf(resource: string, { origin, pathname, search }: URL): boolean {
  const named = URL.canParse(resource) ? new URL(resource) : null;
  return (
    named?.origin === origin &&
    withSlash(pathname).startsWith(withSlash(named.pathname)) &&
    ['', search].includes(named.search)
  );
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

/** Whether two URLs are equal after normalization, such as of the slash after a host. */
function isSameAddress(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}
