import type { Client, PriorDiscovery, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** How a server is spoken with, found out by an earlier exchange. */
export type Session = { prior: PriorDiscovery; sessionId?: string; protocolVersion?: string };

export function sessionOf(client: Client, { sessionId, protocolVersion }: StreamableHTTPClientTransport): Session {
  const discover = client.getDiscoverResult();
  return discover !== undefined && client.getProtocolEra() === 'modern'
    ? { prior: { kind: 'modern', discover } }
    : { prior: { kind: 'legacy' }, sessionId, protocolVersion };
}
