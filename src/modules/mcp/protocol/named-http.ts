import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { hostOf, portOf } from '../../../common/network/host-of';
import { outboundFailure } from '../../../integrations/outbound-http/outbound-failure';
import { faultOf, McpFailure } from './mcp-failure';
import { sentHeaders } from './mcp-http';
import { McpNetwork } from './mcp-network';

const MOST_BYTES = 1_048_576;

/** Statuses without a body (Fetch section 2.2.3). */
const WITHOUT_BODY = [204, 205, 304];

/** Failures after which the request certainly was not received. */
const UNSENT: readonly string[] = ['forbidden_target', 'name_not_resolved', 'connection_failed', 'tls_failed'];

/**
 * The network of a server. URLs from its metadata must be in the same network, so that neither network gives access to
 * the other.
 */
export type Reach = 'inner' | 'public';

/** A `fetch` for the SDK. */
export type NamedFetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Sends requests to URLs that MCP servers name: their metadata and their authorization servers. Requests carry only the
 * data for their purpose. Redirects are returned to the caller.
 */
@Injectable()
export class NamedHttp {
  constructor(private readonly network: McpNetwork) {}

  /**
   * The current network of the server at a URL.
   *
   * @throws McpFailure
   */
  async reachOf(url: URL): Promise<Reach> {
    const { allowedHosts, any } = await this.network.current();
    const addresses = await any.guard.addressesOf(url).catch(refuse);
    const isInner =
      allowedHosts.permitsHost(hostOf(url), portOf(url)) ||
      addresses.every((address) => allowedHosts.permitsAddress(address));
    return isInner ? 'inner' : 'public';
  }

  /**
   * Checks that users may be sent to a URL: by https, or an internal host that the operator allows.
   *
   * @throws McpFailure
   */
  async checkForPeople(reach: Reach, url: URL): Promise<void> {
    const { [reach]: way } = await this.network.current();
    await way.guard.addressesOf(url).catch(refuse);
  }

  /**
   * The status and headers of a response, without waiting for its body.
   *
   * @throws McpFailure
   */
  async head(reach: Reach, url: URL, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const { status, headers, body } = await this.open(reach, url, init, signal);
    leave(body);
    return new Response(null, { status, headers });
  }

  /** A `fetch` that reads responses completely, up to 1 MiB. It throws `McpFailure`. */
  fetchFor(reach: Reach, signal: AbortSignal): NamedFetch {
    return async (address, init = {}) => {
      const { status, headers, body } = await this.open(reach, new URL(address), init, signal);
      const content = await readAll(body);
      return new Response(WITHOUT_BODY.includes(status) ? null : content, { status, headers });
    };
  }

  private async open(
    reach: Reach,
    url: URL,
    { method = 'GET', headers, body }: RequestInit,
    signal: AbortSignal,
  ): Promise<{ status: number; headers: Headers; body: Readable }> {
    const text = typeof body === 'string' || body instanceof URLSearchParams ? body.toString() : null;
    const request = { url, method: method === 'POST' ? ('POST' as const) : ('GET' as const), body: text, signal };
    const { [reach]: way } = await this.network.current();
    const answer = await way.client.open({ ...request, headers: sentHeaders(headers, {}) }).catch(refuse);
    if (answer.status < 200 || answer.status > 599) {
      leave(answer.body);
      throw new McpFailure('invalid', true);
    }
    const passed = new Headers();
    for (const name of ['content-type', 'location', 'www-authenticate']) {
      const [value] = [answer.headers[name]].flat();
      if (value !== undefined) passed.set(name, value);
    }
    return { status: answer.status, headers: passed, body: answer.body };
  }
}

/** Discards a response; later errors of its stream are ignored. */
function leave(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

async function readAll(body: Readable): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MOST_BYTES) {
        throw new McpFailure('too_large', true);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof McpFailure ? error : new McpFailure(faultOf(error), true);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Passes on only the kind of the failure, not the response. */
function refuse(error: unknown): never {
  const { name, code } = error as { name?: unknown; code?: unknown };
  const isUnsent =
    code === 'UND_ERR_CONNECT_TIMEOUT' || (code !== 'ETIMEDOUT' && UNSENT.includes(outboundFailure(error)));
  throw new McpFailure(name === 'TimeoutError' ? 'timeout' : faultOf(error), !isUnsent);
}
