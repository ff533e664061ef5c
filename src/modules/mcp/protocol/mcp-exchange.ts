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
import { SERVICE_VERSION } from '../../../common/service-version';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { TimeLimit } from '../../../common/time-limit';
import { ConnectionNeededError, type ToolAnswer } from '../../tool/tool.api';
import { ServerAuthorization } from '../connections/server-authorization';
import { isOfUser } from '../servers/mcp-server.entity';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { ServerFaults } from '../servers/server-faults';
import { AuthorityFailure, faultOf, McpFailure, OwnFailure, ownFailure, refusingStatus } from './mcp-failure';
import { McpHttp } from './mcp-http';
import { loadMcpSdk } from './mcp-sdk';
import { ServerBreaker } from './server-breaker';
import { TransportWatch } from './transport-watch';

/** Whom an exchange is with, as the server says. */
export interface Peer {
  /** Version of the protocol; empty: unknown. */
  protocol: string;
  /** What it calls itself; null: nothing. */
  server: { name: string; version: string } | null;
}

/** How a server is spoken with, found out by an earlier exchange. */
type Session = { prior: PriorDiscovery; sessionId?: string; protocolVersion?: string; peer?: Peer };

const SESSION_MILLISECONDS = 600_000;
const MOST_SESSIONS = 1_000;

export interface ExchangeOptions {
  /** Milliseconds for all of it. */
  timeout: number;
  /** Bytes of all answers together. */
  mostBytes: number;
  /** Of who waits for the result. */
  signal?: AbortSignal | undefined;
  /** For whom; null: the service itself. */
  userId: number | null;
  /** Answers what the server asks meanwhile; its time does not count. The signal is of who asked. Absent: it is declined. */
  answer?: (asked: unknown, signal: AbortSignal) => Promise<ToolAnswer>;
  /** How a server is reached that no administrator has added; absent: one has. */
  access?: ForeignAccess | undefined;
}

/** What a request knows of a server that it names itself. Nothing of it outlives the exchange but how it failed. */
export interface ForeignAccess {
  key: string;
  headers: Readonly<Record<string, string>>;
}

/** What is done with a client that is connected. */
type Work<Result> = (client: Client, options: { signal: AbortSignal; timeout: number }, peer: Peer) => Promise<Result>;

/** Of one exchange: its time is running. */
type LimitedOptions = Omit<ExchangeOptions, 'timeout'> & { limit: TimeLimit };

/** How an exchange reaches its server, with whatever client. */
interface Way {
  /** Names the session that later exchanges may go on with. */
  key: string;
  signal: AbortSignal;
  /** Whether the server may ask for something. */
  isListening: boolean;
  fetch: ReturnType<McpHttp['fetchFor']>;
  onFailure: (found: Error, refused?: string) => void;
  /** What `onFailure` was called with. */
  reported: { failure: Error | undefined; isCallRefused: boolean };
}

/** The signal ends each request, so no other time holds: what timers can count to. */
const LONGEST_MILLISECONDS = 2_147_483_647;

/** Of requests: few enough to be exact in JSON wherever it is read. */
const MOST_NUMBERS = 2 ** 47;

/** What people can be asked. Models of this service, and its files, are for no server. */
const CAPABILITIES = {
  off: {},
  form: { elicitation: { form: {} } },
  form_and_url: { elicitation: { form: {}, url: {} } },
};

/** Schemas are checked elsewhere, without making code of them. */
const UNCHECKED: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const exchanges = counter('mcp_exchanges_total', 'Exchanges with servers of tools, by how they ended.', [
  'server',
  'result',
]);

/**
 * Speaks with servers. Each exchange has a client of its own, with its own limits of time and size; only how a server is to be spoken
 * with is kept. So a server can hold nothing open, and one exchange can not spoil another.
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
  ) {}

  /** @throws McpFailure, ConnectionNeededError, OwnFailure */
  async run<Result>(server: McpServer, options: ExchangeOptions, work: Work<Result>): Promise<Result> {
    const breaker = this.breakerOf(options.access?.key ?? server.id);
    if (!breaker.mayAsk()) {
      throw this.counted(server, new McpFailure('left_alone'));
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
      throw this.counted(server, error);
    } finally {
      limit.end();
    }
  }

  private counted(server: McpServer, failure: McpFailure): McpFailure {
    exchanges.inc({ server: server.label, result: failure.fault });
    return failure;
  }

  private async once<Result>(server: McpServer, options: LimitedOptions, work: Work<Result>): Promise<Result> {
    const { answer, access, limit } = options;
    const way = await this.wayTo(server, options);
    for (let isFresh = false; ; isFresh = true) {
      const found = isFresh || access ? undefined : this.sessions.get(way.key);
      // What a server asks beside its answers belongs to a session, so nobody else's exchange may be in that one.
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
        return await watch.orBroken(work(client, requests, session.peer));
      } catch (error) {
        this.sessions.delete(way.key);
        // The session of an earlier exchange has ended, so the server has done nothing.
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

  /** @throws McpFailure when the service may not sign in at the server */
  private async wayTo(
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
    // What a server keeps of one user must not meet another.
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
      headers,
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
    // Some servers ask although they were not told that they may.
    client.fallbackRequestHandler = ({ method }) =>
      method === 'elicitation/create'
        ? Promise.resolve({ action: 'decline' })
        : Promise.reject(new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found'));
    // Exchanges that share a session, and a call that is made again, may use no number twice: answers would be mistaken.
    // @borrowed mcp-numbers
    Object.assign(client, { _requestMessageId: randomInt(MOST_NUMBERS) });
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      fetch,
      sessionId: known?.sessionId,
      protocolVersion: known?.protocolVersion,
      // A cut call is not resumed: whoever waits for it hears of it.
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

/** What an exchange throws for an error of its client. What was reported before that error says more. */
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

/** @param known the session that the client went on with, in which the server does not introduce itself again */
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
