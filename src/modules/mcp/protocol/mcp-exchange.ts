import { randomInt } from 'node:crypto';
import type {
  Client,
  ClientOptions,
  PriorDiscovery,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../common/clock';
import { counter } from '../../../common/metrics/metrics';
import { ServerBreaker } from '../../../common/network/server-breaker';
import { SERVICE_VERSION } from '../../../common/service-version';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { TimeLimit } from '../../../common/time-limit';
import { ATTRIBUTES } from '../../../common/tracing/conventions';
import { errorCode, Tracing } from '../../../common/tracing/tracing';
import { ConnectionNeededError, type ToolAnswer } from '../../tool/tool.api';
import { ServerAuthorization } from '../connections/server-authorization';
import { isOfUser } from '../servers/mcp-server.entity';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { ServerFaults } from '../servers/server-faults';
import { AuthorityFailure, faultOf, McpFailure, OwnFailure, ownFailure, refusingStatus } from './mcp-failure';
import { McpHttp } from './mcp-http';
import { loadMcpSdk } from './mcp-sdk';
import { TransportWatch } from './transport-watch';

/** The server's description of itself. */
export interface Peer {
  /** The protocol version; an empty string if unknown. */
  protocol: string;
  /** The name and version of the server; null: unknown. */
  server: { name: string; version: string } | null;
}

/** The protocol state of a server, from an earlier exchange. */
type Session = { prior: PriorDiscovery; sessionId?: string; protocolVersion?: string; peer?: Peer };

const SESSION_MILLISECONDS = 600_000;
const MOST_SESSIONS = 1_000;

export interface ExchangeOptions {
  /** The time limit of the whole exchange, in milliseconds. */
  timeout: number;
  /** The byte limit of all responses together. */
  mostBytes: number;
  /** The signal of the caller. */
  signal?: AbortSignal | undefined;
  /** The user of the exchange; null: the service itself. */
  userId: number | null;
  /**
   * Answers requests of the server. Its time does not count for the limit. The signal belongs to the server's request.
   * Absent: requests are declined.
   */
  answer?: (asked: unknown, signal: AbortSignal) => Promise<ToolAnswer>;
  /** The access to a server that no administrator has added; absent for other servers. */
  access?: ForeignAccess | undefined;
  /** What its span says of it: a method of the protocol, and the tool that it calls. */
  traced: { method: string; tool?: string };
}

/** The access data of a server that a request defines. After the exchange, only its failures are remembered. */
export interface ForeignAccess {
  key: string;
  headers: Readonly<Record<string, string>>;
}

/** The work to do with a connected client. */
type Work<Result> = (client: Client, options: { signal: AbortSignal; timeout: number }, peer: Peer) => Promise<Result>;

/** The options of a running exchange. */
type LimitedOptions = Omit<ExchangeOptions, 'timeout'> & { limit: TimeLimit };

/** The transport options of an exchange, for any client. */
interface Way {
  /** The key of the session that later exchanges may reuse. */
  key: string;
  signal: AbortSignal;
  /** Whether the server may send requests. */
  isListening: boolean;
  fetch: ReturnType<McpHttp['fetchFor']>;
  onFailure: (found: Error, refused?: string) => void;
  /** The arguments of `onFailure`. */
  reported: { failure: Error | undefined; isCallRefused: boolean };
}

/** The maximum delay of a timer, because the signal ends each request and no other limit applies. */
const LONGEST_MILLISECONDS = 2_147_483_647;

/** The range of request numbers, which are exact in JSON of any implementation. */
const MOST_NUMBERS = 2 ** 47;

/** Input that users can be asked for. Servers have no access to models and files of this service. */
const CAPABILITIES = {
  off: {},
  form: { elicitation: { form: {} } },
  form_and_url: { elicitation: { form: {}, url: {} } },
};

/** Schemas are validated elsewhere, without compiling them to code. */
const UNCHECKED: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const exchanges = counter('mcp_exchanges_total', 'Exchanges with servers of tools, by how they ended.', [
  'server',
  'result',
]);

/**
 * Communicates with MCP servers. Each exchange has its own client and its own limits of time and size; only the
 * protocol state is shared. A server therefore cannot keep connections open, and exchanges do not affect each other.
 */
@Injectable()
export class McpExchange {
  private readonly logger = new Logger(McpExchange.name);
  private readonly breakers = new LRUCache<number | string, ServerBreaker>({ max: MOST_SESSIONS });
  private readonly sessions = new LRUCache<string, Session>({ max: MOST_SESSIONS, ttl: SESSION_MILLISECONDS });

  constructor(
    private readonly http: McpHttp,
    private readonly servers: McpServerStore,
    private readonly authorization: ServerAuthorization,
    private readonly faults: ServerFaults,
    private readonly clock: Clock,
    private readonly tracing: Tracing,
  ) {}

  /** @throws McpFailure, ConnectionNeededError, OwnFailure */
  run<Result>(server: McpServer, options: ExchangeOptions, work: Work<Result>): Promise<Result> {
    const { method, tool } = options.traced;
    const span = {
      kind: 'client',
      attributes: {
        [ATTRIBUTES.mcpMethod]: method,
        [ATTRIBUTES.toolName]: tool,
        [ATTRIBUTES.serverAddress]: new URL(server.url).hostname,
      },
    } as const;
    const codeOf = (error: unknown): string => (error instanceof McpFailure ? error.fault : errorCode(error));
    return this.tracing.trace(
      tool === undefined ? method : `${method} ${tool}`,
      span,
      () => this.runLimited(server, options, work),
      codeOf,
    );
  }

  private async runLimited<Result>(server: McpServer, options: ExchangeOptions, work: Work<Result>): Promise<Result> {
    const breaker = this.breakerOf(options.access?.key ?? server.id);
    if (!breaker.mayAsk()) {
      throw this.countFailure(server, new McpFailure('left_alone'));
    }
    const { timeout, ...others } = options;
    const limit = new TimeLimit(timeout);
    try {
      const result = await this.once(server, { limit, ...others }, work);
      breaker.succeeded();
      this.faults.note(server, null);
      exchanges.inc({ server: server.label, result: 'ok' });
      return result;
    } catch (error) {
      if (!(error instanceof McpFailure)) {
        const own = error instanceof ConnectionNeededError ? null : ownFailure(error);
        exchanges.inc({ server: server.label, result: own === null ? 'connection_needed' : 'own_failure' });
        if (own) this.logger.warn({ error, server: server.label }, 'A server of tools was not asked as it should be.');
        throw own ?? error;
      }
      if (options.signal?.aborted !== true) {
        if (error.isOutage && !(error instanceof AuthorityFailure)) breaker.failed();
        else if (!error.isOutage) breaker.succeeded();
        this.faults.note(server, error.fault);
        this.logger.warn({ error, server: server.label, reason: error.fault }, 'A server of tools failed.');
      }
      throw this.countFailure(server, error);
    } finally {
      limit.end();
    }
  }

  private countFailure(server: McpServer, failure: McpFailure): McpFailure {
    exchanges.inc({ server: server.label, result: failure.fault });
    return failure;
  }

  private async once<Result>(server: McpServer, options: LimitedOptions, work: Work<Result>): Promise<Result> {
    const { answer, access, limit } = options;
    const way = await this.findWay(server, options);
    for (let isFresh = false; ; isFresh = true) {
      const found = isFresh || access ? undefined : this.sessions.get(way.key);
      // Requests of a server other than responses belong to a session, so exchanges with such requests must not share
      // one.
      const isAlone = way.isListening && found?.prior.kind !== 'modern';
      const known = isAlone && found ? { prior: found.prior } : found;
      const { client, transport } = this.clientOf(server, known, way.fetch);
      const watch = new TransportWatch(transport, way.onFailure);
      if (server.elicitation !== 'off') {
        client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => ({
          ...(answer ? await limit.without(() => answer(params, mcpReq.signal)) : { action: 'decline' as const }),
        }));
      }
      try {
        const requests = { signal: way.signal, timeout: LONGEST_MILLISECONDS };
        await watch.orBroken(client.connect(transport, { ...requests, ...(known && { prior: known.prior }) }));
        const session = sessionOf(client, transport, known);
        if (!access && !(isAlone && client.getProtocolEra() === 'legacy')) {
          this.sessions.set(way.key, session);
        }
        this.tracing.active.set({ [ATTRIBUTES.mcpProtocol]: session.peer.protocol });
        return await watch.orBroken(work(client, requests, session.peer));
      } catch (error) {
        this.sessions.delete(way.key);
        // The session of an earlier exchange has expired, so the server did nothing.
        if (known?.sessionId !== undefined && (error as { status?: unknown }).status === 404) {
          continue;
        }
        throw failureOf(error, way.reported, { isCallSent: watch.isCallSent, isOver: limit.isOver });
      } finally {
        void watch
          .farewells()
          .then(() => (isAlone ? transport.terminateSession() : undefined))
          .catch(() => undefined)
          .then(() => client.close())
          .catch(() => undefined);
      }
    }
  }

  /** @throws McpFailure if the service cannot authenticate at the server */
  private async findWay(
    server: McpServer,
    { limit, mostBytes, signal: waiting, userId, answer, access }: LimitedOptions,
  ): Promise<Way> {
    const headers = access?.headers ?? this.servers.headersOf(server);
    if (headers === null) {
      throw new McpFailure('unauthorized');
    }
    const authorization = await limit.of(this.authorization.of(server, userId), new AuthorityFailure('timeout'));
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, limit.signal, ...(waiting ? [waiting] : [])]);
    // A server's session of one user must not be reused for another.
    const owner = isOfUser(server.auth) ? userId : null;
    const key = `${server.id} ${server.updatedAt.getTime()} ${owner ?? ''}`;
    const reported: Way['reported'] = { failure: undefined, isCallRefused: false };
    const onFailure = (found: Error, refused?: string): void => {
      reported.failure ??= found;
      reported.isCallRefused ||= refused !== undefined && isCall(refused);
      ending.abort(found);
    };
    const isListening = answer !== undefined && server.elicitation !== 'off';
    const fetch = this.http.fetchFor({
      url: new URL(server.url),
      headers: { ...headers, ...this.tracing.headersOf() },
      isListening,
      mostBytes,
      signal,
      onFailure,
      authorization,
      isForeign: access !== undefined,
    });
    return { key, signal, isListening, fetch, onFailure, reported };
  }

  private clientOf(
    server: McpServer,
    known: Session | undefined,
    fetch: ReturnType<McpHttp['fetchFor']>,
  ): { client: Client; transport: StreamableHTTPClientTransport } {
    const { Client, ProtocolError, ProtocolErrorCode, StreamableHTTPClientTransport } = loadMcpSdk();
    const { protocol } = server;
    const mode = protocol === 'auto' ? 'auto' : protocol === '2025-11-25' ? 'legacy' : { pin: protocol };
    const client = new Client(
      { name: 'chat-service', version: SERVICE_VERSION },
      {
        capabilities: CAPABILITIES[server.elicitation],
        versionNegotiation: { mode },
        jsonSchemaValidator: UNCHECKED,
        inputRequired: { autoFulfill: false },
      },
    );
    // Some servers send requests although the client did not declare support.
    client.fallbackRequestHandler = ({ method }) =>
      method === 'elicitation/create'
        ? Promise.resolve({ action: 'decline' })
        : Promise.reject(new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found'));
    // Exchanges that share a session, and a repeated call, must not reuse request numbers, or responses would be mixed
    // up.
    // @borrowed mcp-numbers
    Object.assign(client, { _requestMessageId: randomInt(MOST_NUMBERS) });
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      fetch,
      sessionId: known?.sessionId,
      protocolVersion: known?.protocolVersion,
      // An interrupted call is not resumed; its caller gets the error.
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: SECOND_MILLISECONDS,
        maxReconnectionDelay: SECOND_MILLISECONDS,
        reconnectionDelayGrowFactor: 1,
      },
    });
    return { client, transport };
  }

  private breakerOf(id: number | string): ServerBreaker {
    let breaker = this.breakers.get(id);
    if (!breaker) {
      breaker = new ServerBreaker(() => this.clock.now().getTime());
      this.breakers.set(id, breaker);
    }
    return breaker;
  }
}

/** The error of an exchange whose client failed. A failure that was reported before is more specific. */
function failureOf(
  error: unknown,
  { failure, isCallRefused }: Way['reported'],
  { isCallSent, isOver }: { isCallSent: boolean; isOver: boolean },
): Error {
  const isSent = isCallSent && !isCallRefused;
  if (failure instanceof AuthorityFailure) {
    return new AuthorityFailure(failure.fault, isSent);
  }
  if (failure !== undefined && !(failure instanceof McpFailure)) {
    return failure instanceof ConnectionNeededError ? failure : new OwnFailure(failure, isSent);
  }
  const isRefused = failure === undefined && isCallSent && refusingStatus(error) !== null;
  const fault = failure?.fault ?? (isOver ? 'timeout' : faultOf(error));
  return new McpFailure(isRefused && fault === 'invalid' ? 'refused' : fault, isSent && !isRefused, error);
}

/** Whether the body of a request calls a tool. */
function isCall(body: string): boolean {
  return (JSON.parse(body) as { method?: unknown }).method === 'tools/call';
}

/** @param known the reused session, in which the server does not send its description again */
function sessionOf(
  client: Client,
  { sessionId, protocolVersion }: StreamableHTTPClientTransport,
  known: Session | undefined,
): Session & { peer: Peer } {
  const { name = '', version = '' } = client.getServerVersion() ?? known?.peer?.server ?? {};
  const protocol = client.getNegotiatedProtocolVersion() ?? known?.peer?.protocol ?? '';
  const peer = { protocol, server: name === '' ? null : { name, version } };
  const discover = client.getDiscoverResult();
  return discover !== undefined && client.getProtocolEra() === 'modern'
    ? { prior: { kind: 'modern', discover }, peer }
    : { prior: { kind: 'legacy' }, sessionId, protocolVersion, peer };
}
