import { Injectable, Logger } from '@nestjs/common';
import { McpFailure } from '../protocol/mcp-failure';
import { loadMcpSdk } from '../protocol/mcp-sdk';
import { type NamedFetch, NamedHttp, type Reach } from '../protocol/named-http';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { scopesIn } from '../servers/scopes-in';
import { MetadataMismatch } from './metadata-mismatch';
import { oauthStep } from './oauth-failure';
import { type Authority, keptMetadata, type SaidOfScopes } from './oauth-grant';

/** What an authorization server of which an administrator knows that it takes PKCE would list. */
const S256 = { code_challenge_methods_supported: ['S256'] };

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Any request will do: who has no token is told where to get one before it is looked at. */
const PROBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** What a server says of itself as something that is protected (RFC 9728). */
interface Resource {
  resource: string;
  issuer: string;
}

/** Finds out who gives tokens for a server: what it says of itself, and what the authorization server says that it names. */
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
      // The issuer is compared below: an administrator may have named another one than the server of tools does.
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
        demanded: scope === undefined ? null : scopesIn(scope),
        known: metadata.scopes_supported ?? null,
      };
    });
  }

  /**
   * Whether people can be sent there to allow something: PKCE with S256 must be known, and the address one for people.
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

  /** What the server says to a request without a token. */
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

  /** Null: the server does not say what protects it. @throws McpFailure where it says that of another one */
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

/** Where the metadata may be (RFC 9728 §3.1). */
function placesOf(server: URL, named: URL | undefined): URL[] {
  const root = new URL(WELL_KNOWN, server);
  const own = new URL(`${WELL_KNOWN}${server.pathname.replace(/\/$/, '')}${server.search}`, server);
  return named !== undefined ? [named] : server.pathname === '/' ? [root] : [own, root];
}

/** A server that says nothing (2025-03-26) gives its tokens itself. */
function ownAuthority({ url, resource }: McpServer): Resource {
  const { origin, href } = new URL(url);
  return { resource: resource ?? href, issuer: origin };
}

/** @throws MetadataMismatch where the metadata names neither the issuer that an administrator set, nor else the one that it is read for */
function requireIssuer({ issuer: set }: McpServer, actual: string, named: string): void {
  if (set === null ? !isSameAddress(actual, named) : actual !== set) {
    throw new MetadataMismatch('issuer', set ?? named, actual);
  }
}

/** @throws MetadataMismatch where the metadata is of another resource */
function requireResource({ url, resource: set }: McpServer, actual: string): void {
  if (set === null ? !isResourceOf(actual, new URL(url)) : actual !== set) {
    throw new MetadataMismatch('resource', set ?? url, actual);
  }
}

/** Whether a resource has the origin of the server, and its path or a parent of that, with or without a slash at the end. */
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

/** Equal but for what makes no other address, such as the slash after a host. */
function isSameAddress(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}
