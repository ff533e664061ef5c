import { Injectable } from '@nestjs/common';
import { McpFailure } from '../protocol/mcp-failure';
import { loadMcpSdk } from '../protocol/mcp-sdk';
import { type NamedFetch, NamedHttp, type Reach } from '../protocol/named-http';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { oauthStep } from './oauth-failure';
import { type Authority, keptMetadata, type SaidOfScopes } from './oauth-grant';

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
  constructor(
    private readonly http: NamedHttp,
    private readonly servers: McpServerStore,
  ) {}

  /** @throws McpFailure */
  of(server: McpServer, signal: AbortSignal): Promise<SaidOfScopes & { authority: Authority }> {
    return oauthStep(async () => {
      const { discoverAuthorizationServerMetadata } = loadMcpSdk();
      const url = new URL(server.url);
      const reach = await this.http.reachOf(url);
      const fetch = this.http.fetchFor(reach, signal);
      const { metadataUrl, scope } = await this.challengeOf(server, reach, signal);
      const { resource, issuer } = (await this.resourceOf(url, metadataUrl, fetch)) ?? ownAuthority(url);
      const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
      if (metadata === undefined || !isSameAddress(metadata.issuer, issuer)) {
        throw new McpFailure('authorization');
      }
      const demanded = scope === undefined ? null : scope.split(' ').filter((one) => one !== '');
      const authority = { reach, resource, metadata: keptMetadata(metadata) };
      return { authority, demanded, known: metadata.scopes_supported ?? null };
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
      throw new McpFailure('authorization');
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
  private async resourceOf(server: URL, named: URL | undefined, fetch: NamedFetch): Promise<Resource | null> {
    const { discoverOAuthProtectedResourceMetadata } = loadMcpSdk();
    for (const [address, expected] of placesOf(server, named)) {
      let status = 0;
      const noting: NamedFetch = async (...request) => {
        const answer = await fetch(...request);
        ({ status } = answer);
        return answer;
      };
      try {
        const found = await discoverOAuthProtectedResourceMetadata(server, { resourceMetadataUrl: address }, noting);
        const [issuer] = found.authorization_servers ?? [];
        if (!expected.some((address) => isSameAddress(found.resource, address)) || issuer === undefined) {
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

/** Where the metadata may be, each with the resources that it may be of (RFC 9728 §3.3). */
function placesOf(server: URL, named: URL | undefined): [URL, string[]][] {
  const root = new URL(WELL_KNOWN, server);
  const own = new URL(`${WELL_KNOWN}${server.pathname.replace(/\/$/, '')}${server.search}`, server);
  const ofRoot = [server.origin, server.href];
  if (named !== undefined) {
    return [[named, named.href === root.href ? ofRoot : [server.href]]];
  }
  return server.pathname === '/'
    ? [[root, ofRoot]]
    : [
        [own, [server.href]],
        [root, ofRoot],
      ];
}

/** A server that says nothing (2025-03-26) gives its tokens itself. */
function ownAuthority({ origin, href }: URL): Resource {
  return { resource: href, issuer: origin };
}

/** Equal but for what makes no other address, such as the slash after a host. */
function isSameAddress(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}
