import { Injectable } from '@nestjs/common';
import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { Principal } from '../../../../common/security/principal';
import { ScopeRequiredError } from '../../../../common/security/security.errors';
import { AgentService } from '../../../agent/agent.api';
import { ChatReadService, ConversationQuery, type StoredMessage } from '../../../chat/chat.api';
import {
  ActionAlreadyDecidedError,
  ActionLists,
  ActionNotFoundError,
  type DecisionRequest,
  IdempotencyService,
  type LiveReply,
  NOT_TIGHTENED,
  type RepeatableRequest,
  ReplyLocator,
  type ShownAction,
  ToolDecisions,
} from '../../../generation/generation.api';
import { UnsupportedParameterError } from '../../openai.errors';
import { ActingTools } from '../../tools/acting-tools';
import { RemoteTools } from '../../tools/remote-tools';
import { toResponseSettings } from '../request/request-settings';
import { ResponseStore, toHead } from '../response.store';
import { ResponsePlaces } from '../response-place';
import { repeatableOf, type ResponseOrder } from '../response-preparation';
import type { ApprovalResponseItem } from '../wire/response-item';
import { endedPart } from '../wire/response-part';
import type { ResponseHead } from '../wire/response-resource';
import { labelsFor } from '../wire/tool-labels';
import { itemId, readApprovalId } from '../wire/wire-ids';
import type { Decisions } from './sent-decisions';

/** A decision about an action of the waiting reply. */
interface Decided {
  wish: DecisionRequest;
  item: ApprovalResponseItem;
}

/** Continues replies that wait for decisions about tool calls. Each continuation is a separate response. */
@Injectable()
export class ResponseContinuation {
  constructor(
    private readonly decisions: ToolDecisions,
    private readonly actions: ActionLists,
    private readonly store: ResponseStore,
    private readonly places: ResponsePlaces,
    private readonly conversations: ConversationQuery,
    private readonly reading: ChatReadService,
    private readonly idempotency: IdempotencyService,
    private readonly locator: ReplyLocator,
    private readonly agents: AgentService,
    private readonly acting: ActingTools,
    private readonly remotes: RemoteTools,
  ) {
    // A decision outside of this API also creates a response.
    decisions.onTaken((manager, reply) => this.store.insertContinuation(manager, reply));
  }

  /**
   * Stores the decisions and returns the continued reply. Repeated decisions return the same response.
   *
   * @throws ScopeRequiredError, UnsupportedParameterError, InvalidParameterError, ActionNotFoundError, and the errors
   * of `ResponsePlaces.find` and `ToolDecisions.decide`
   */
  async start(order: ResponseOrder, decisions: Decisions): Promise<{ reply: LiveReply; head: ResponseHead }> {
    const { context, request } = order;
    const { principal } = context;
    requireScope(principal);
    if (!request.store) {
      throw new UnsupportedParameterError('store');
    }
    const message = await this.messageOf(principal.userId, order, decisions);
    const decided = await this.readAll(message.id, decisions);
    // If the request has more input, the response to it uses the key.
    const repeatable = { ...repeatableOf(order), ...(decisions.rest.length > 0 && { key: null }) };
    await this.idempotency.once(
      repeatable,
      async () => {
        await this.decide(order, message, decided, repeatable);
        return true;
      },
      () => Promise.resolve(true),
    );
    return this.shown(principal.userId, message.id, decided);
  }

  private async decide(
    { context, request }: ResponseOrder,
    message: StoredMessage,
    decided: Decided[],
    repeatable: RepeatableRequest,
  ): Promise<void> {
    const { userId } = context.principal;
    const { previous_response_id, background, metadata, user, safety_identifier, prompt_cache_key } = request;
    const repeated = { previous_response_id, background, metadata, user, safety_identifier, prompt_cache_key };
    const { agentId } = await this.reading.get(userId, message.chatId);
    const agent = (await this.agents.findManyForDisplay([agentId])).get(agentId);
    const labels = agent && labelsFor(await this.acting.offered(agent, userId, NOT_TIGHTENED));
    const wishes = decided.map(({ wish }) => wish);
    const { chatId, id: messageId } = message;
    await this.decisions.decide(context.principal, chatId, wishes, {
      decided: (manager) => this.idempotency.keep(manager, repeatable, { chatId, userMessageId: null, messageId }),
      taken: (manager, reply) =>
        this.store.insertContinuation(manager, reply, {
          userId,
          input: decided.map(({ item }) => item),
          settings: repeated,
          whole: toResponseSettings(request, request.model ?? agent?.name ?? '', {}, []),
          labels: labels ?? null,
        }),
      secrets: this.remotes.readCredentials(request.tools),
    });
  }

  private async shown(
    userId: number,
    messageId: number,
    decided: readonly Decided[],
  ): Promise<{ reply: LiveReply; head: ResponseHead }> {
    const found = await this.store.findDecided(
      userId,
      messageId,
      decided.map(({ item }) => item.approval_request_id),
    );
    const reply = await this.locator.find(messageId);
    if (found === null || reply === null) {
      throw new ActionAlreadyDecidedError();
    }
    const head = toHead(found);
    return { reply: endedPart(reply, head.part), head };
  }

  /**
   * The waiting reply.
   *
   * @throws InvalidParameterError if the request does not continue it
   */
  private async messageOf(
    userId: number,
    { request }: ResponseOrder,
    { approvals }: Decisions,
  ): Promise<StoredMessage> {
    const named = approvals.map(({ item, field }) => ({ id: readApprovalId(item.approval_request_id), field }));
    const messageId = named[0]?.id?.messageId ?? 0;
    const place = await this.places.find(userId, request);
    const [message] = await this.conversations.find(userId, [messageId]);
    if (message === undefined) {
      throw new ActionNotFoundError();
    }
    const isElsewhere = place !== null && (place.chatId !== message.chatId || (place.after ?? messageId) !== messageId);
    const other = isElsewhere ? named[0] : named.find(({ id }) => id?.messageId !== messageId);
    if (other !== undefined) {
      throw new InvalidParameterError([{ field: `${other.field}.approval_request_id`, reason: 'conflicts' }]);
    }
    return message;
  }

  /**
   * @throws ActionNotFoundError, InvalidParameterError for two decisions about one call, or if another call still waits
   */
  private async readAll(messageId: number, { approvals, rest }: Decisions): Promise<Decided[]> {
    const actions = await this.actions.ofReply(messageId);
    const decided = new Map<string, Decided>();
    for (const { item, field } of approvals) {
      const { number } = readApprovalId(item.approval_request_id) ?? {};
      const shown = actions.findLast(({ call }) => call.number === number);
      if (shown === undefined) {
        throw new ActionNotFoundError();
      }
      if (decided.has(item.approval_request_id)) {
        throw new InvalidParameterError([{ field: `${field}.approval_request_id`, reason: 'duplicate' }]);
      }
      decided.set(item.approval_request_id, decidedBy(item, shown));
    }
    const ids = [...decided.values()].map(({ wish }) => wish.id);
    if (rest.length > 0 && actions.some(({ action }) => action.state === 'open' && !ids.includes(action.id))) {
      throw new InvalidParameterError([{ field: 'input', reason: 'conflicts' }]);
    }
    return [...decided.values()];
  }
}

function decidedBy(
  { approval_request_id, approve, reason = null }: Decisions['approvals'][number]['item'],
  { action, call }: ShownAction,
): Decided {
  const decision = approve ? ('approve' as const) : ('deny' as const);
  const { argumentsHash } = call;
  const wish = { id: action.id, decision, argumentsHash, arguments: null, reason, text: null, remember: null };
  const id = itemId.approvalResponse(call.messageId, call.number);
  return { wish, item: { type: 'mcp_approval_response', id, approval_request_id, approve, reason } };
}

/** A scope to send messages does not include decisions. */
function requireScope({ scopes }: Principal): void {
  if (scopes !== null && !scopes.includes('actions:decide')) {
    throw new ScopeRequiredError('actions:decide');
  }
}
