import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import type { RequestContext } from '../../../common/security/request-context';
import type { ModelParameters } from '../../../integrations/llm/port/language-model-provider';
import { SentParameters } from '../../../integrations/llm/providers/sent-parameters';
import { type AgentCaller, AgentService } from '../../agent/agent.api';
import {
  ChatReplyPlace,
  ConversationQuery,
  ConversationTurns,
  ExchangeService,
  type ReplyAgent,
  ReplyAgents,
} from '../../chat/chat.api';
import {
  type FileSearch,
  type GenerationOptions,
  Generations,
  modelParameters,
  type PolicyOverrides,
  type RepeatableRequest,
  senderOf,
  type Turn,
} from '../../generation/generation.api';
import type { RemoteAccess } from '../../tool/tool.api';
import { ModelResolver } from '../model-resolver';
import { ActingTools, type NamedServer, type OwnTool, type OwnTools } from '../tools/acting-tools';
import { FileSearches } from '../tools/file-searches';
import type { IgnoredTools } from '../tools/ignored-tools';
import { RemoteTools, withoutCredentials } from '../tools/remote-tools';
import { ListedTools } from './listed-tools.service';
import { EarlierCalls } from './request/earlier-calls';
import { InputReader } from './request/input-reader';
import { inNamespace } from './request/input-turns';
import { toResponseSettings } from './request/request-settings';
import { clientTools, keptTools } from './request/request-tools';
import { isCompactionRequest, refuseUnsupported, responseOptions } from './request/response-options';
import type { ResponseRequest } from './request/response-request-schema';
import { type ResponsePlace, ResponsePlaces } from './response-place';
import type { ResponseHead } from './wire/response-resource';
import type { ResponseSettings, ToolResource } from './wire/response-settings';
import { labelsFor } from './wire/tool-labels';

/** A client's request, with its idempotency key. */
export interface ResponseOrder {
  context: RequestContext;
  request: ResponseRequest;
  key: string | null;
  /** The route in the fingerprint of a repeated request; absent: that of responses. */
  route?: string;
}

/** The inputs of a response, read before it starts. */
export interface PreparedResponse {
  place: ResponsePlace | null;
  agent: ReplyAgent;
  turns: Turn[];
  /**
   * The same turns, preceded by the history if the response is not stored. The history is in the prompt, but the
   * conversation does not grow.
   */
  promptTurns: readonly Turn[];
  options: GenerationOptions;
  /** The tightening of the agent's policies by the request. */
  tightening: PolicyOverrides;
  /** MCP servers that the request lists by URL; undefined: none. */
  remote: RemoteAccess | undefined;
  /** The search of vector stores that the request defines; undefined: none. */
  fileSearch: FileSearch | undefined;
  /** The tools of the agent that the model gets; null: none. */
  labels: ResponseHead['labels'];
  /** The tools that the response lists; null: none. */
  listed: ResponseHead['listed'];
  /** Tools that need an approval, which an unstored response cannot request. */
  withheld: readonly string[];
  settings: ResponseSettings;
  /** For a response that is not stored: whether its history may contain text of other users or untrusted content. */
  isTainted: boolean;
}

/** Reads the inputs of a response before it starts: the place, the agent, the turns. */
@Injectable()
export class ResponsePreparation {
  constructor(
    private readonly places: ResponsePlaces,
    private readonly models: ModelResolver,
    private readonly agents: AgentService,
    private readonly answerers: ReplyAgents,
    private readonly inputs: InputReader,
    private readonly calls: EarlierCalls,
    private readonly conversations: ConversationQuery,
    private readonly turns: ConversationTurns,
    private readonly exchanges: ExchangeService,
    private readonly generations: Generations,
    private readonly sent: SentParameters,
    private readonly acting: ActingTools,
    private readonly lists: ListedTools,
    private readonly remotes: RemoteTools,
    private readonly chats: ChatReplyPlace,
    private readonly fileSearches: FileSearches,
  ) {}

  /** @throws the errors of `ResponsePlaces.find`, `ModelResolver.resolve`, `InputReader.turns` and `requireQuota` */
  async prepare(order: ResponseOrder, ignored: IgnoredTools, signal: AbortSignal): Promise<PreparedResponse> {
    const { context, request } = order;
    const { userId } = context.principal;
    refuseUnsupported(request);
    const tools = keptTools(request.tools, ignored);
    const place = await this.places.find(userId, request);
    const agent = await this.agentFor(request, place, context.principal);
    const servers = serversIn(tools);
    const remote = await this.remotes.open(userId, request.tools, signal);
    const fileSearch = await this.fileSearches.of(userId, request.tools, clientTools(tools));
    const own = await this.acting.of(agent, userId, servers, clientTools(tools), remote);
    const options = responseOptions(request, tools, own.tools);
    const asked = { sender: senderOf(context), repeatable: repeatableOf(order) };
    const admit = (): Promise<void> => (request.store ? this.exchanges : this.generations).requireQuota(asked);
    if (isCompactionRequest(request)) {
      // A compaction does not count as a message, so the exchange does not check the quota.
      await admit();
    }
    const turns = await this.turnsOf(order, { place, agent, tools: own.tools }, signal, admit);
    if (!isCompactionRequest(request)) {
      refuseBlank(turns);
    }
    await this.calls.require(userId, request, turns, place);
    const sent = this.sentParameters({ agent, options });
    const settings = toResponseSettings(request, request.model ?? agent.name, sent, tools);
    const { offered, withheld } = await this.findOffer(request, agent, userId, { ...own, turns, remote });
    const named = isCompactionRequest(request) ? [] : servers.map(({ server }) => server.server_label);
    const listed = await this.lists.due(named, offered, request, place);
    const unstoredPlace = request.store ? null : place;
    const before = unstoredPlace === null ? [] : await this.readHistory(unstoredPlace, agent);
    return {
      place,
      agent,
      turns,
      promptTurns: [...before, ...turns],
      options,
      tightening: own.tightening,
      remote,
      fileSearch,
      labels: labelsFor(offered),
      listed,
      withheld,
      settings,
      isTainted: unstoredPlace !== null && (await this.isTainted(unstoredPlace)),
    };
  }

  /** A response that is not stored cannot wait for approvals. */
  private async findOffer(
    request: ResponseRequest,
    agent: ReplyAgent,
    userId: number,
    { tools, ...wish }: OwnTools & { turns: readonly Turn[]; remote: RemoteAccess | undefined },
  ): Promise<Pick<PreparedResponse, 'withheld'> & { offered: readonly OwnTool[] }> {
    const withheld =
      request.store || isCompactionRequest(request) ? [] : await this.acting.withheld(agent, userId, wish);
    const offered = isCompactionRequest(request) ? [] : tools.filter(({ name }) => !withheld.includes(name));
    return { offered, withheld };
  }

  private async isTainted({ chatId }: ResponsePlace): Promise<boolean> {
    return (await this.chats.isTainted(chatId)) || this.generations.hasOutside(chatId);
  }

  /** The parameters for the model, without those that it is known not to accept. */
  sentParameters({ agent, options }: Pick<PreparedResponse, 'agent' | 'options'>): ModelParameters {
    return this.sent.of(agent, modelParameters(agent, options), options.tools.length > 0);
  }

  /** A request that only compacts an existing conversation needs no input. */
  private turnsOf(
    { context, request }: ResponseOrder,
    { place, agent, tools }: { place: ResponsePlace | null; agent: ReplyAgent; tools: readonly OwnTool[] },
    signal: AbortSignal,
    admit: () => Promise<void>,
  ): Promise<Turn[]> {
    const { input } = request;
    const modelNameOf = (server: string, name: string): string =>
      tools.find(({ label, ownName }) => label === server && ownName === name)?.name ?? inNamespace(server, name);
    return place !== null && isCompactionRequest(request) && (input ?? []).length === 1
      ? Promise.resolve([{ role: 'user', content: '', parts: [] }])
      : this.inputs.turns(context.principal.userId, input, signal, admit, { modelNameOf, agent });
  }

  /** Without a model, the answerer of the continued response answers again. */
  private async agentFor(
    { model }: ResponseRequest,
    place: ResponsePlace | null,
    caller: AgentCaller,
  ): Promise<ReplyAgent> {
    if (typeof model === 'string') {
      return this.models.resolve(model, caller);
    }
    if (place === null) {
      throw new InvalidParameterError([{ field: 'model', reason: 'required' }]);
    }
    return (
      (await this.answerers.resolve(place.answerer, caller)) ?? this.agents.resolveForSending(place.agentId, caller)
    );
  }

  private async readHistory({ chatId, after }: ResponsePlace, agent: ReplyAgent): Promise<Turn[]> {
    const [last] = await this.conversations.line(chatId, { from: null, isBackwards: true, limit: 1 });
    const end = after ?? last?.id;
    return end === undefined ? [] : this.turns.to(chatId, end, agent);
  }
}

/** The last reply must be followed by a message that is not empty, because some providers reject an empty question. */
function refuseBlank(turns: readonly Turn[]): void {
  const after = turns.slice(turns.findLastIndex(({ role }) => role === 'assistant') + 1);
  const users = after.filter(({ role }) => role === 'user');
  // Input with only instructions is answered too.
  const said = users.length > 0 ? users : after;
  if (said.length > 0 && said.every(isBlank)) {
    throw new InvalidParameterError([{ field: 'input', reason: 'blank' }]);
  }
}

function isBlank({ content, parts }: Turn): boolean {
  return content.trim() === '' && (parts ?? []).every(({ type }) => type === 'text');
}

function serversIn(tools: readonly ToolResource[]): NamedServer[] {
  return tools.flatMap((server) =>
    server.type === 'mcp' ? [{ server, field: `tools[${tools.indexOf(server)}]` }] : [],
  );
}

export function repeatableOf({ context, request, key, route }: ResponseOrder): RepeatableRequest {
  return {
    userId: context.principal.userId,
    key,
    route: route ?? 'POST /openai/v1/responses',
    body: withoutCredentials(request),
  };
}
