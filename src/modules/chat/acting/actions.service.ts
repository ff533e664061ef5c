import { Injectable } from '@nestjs/common';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import type { ListPart } from '../../../common/envelope/total-count';
import { DomainEvents } from '../../../common/events/domain-events';
import { assertScope, type Principal } from '../../../common/security/principal';
import { ForbiddenError } from '../../../common/security/security.errors';
import { ContentAccessConfig } from '../../../config/content-access.config';
import { Database } from '../../../database/database';
import {
  actionAudit,
  ActionLists,
  type Decided,
  type DecisionRequest,
  type HttpExchange,
  IdempotencyService,
  mayDecide,
  type RepeatableRequest,
  ReplyLocator,
  type ShownAction,
  type StartedReply,
  ToolDecisions,
} from '../../generation/generation.api';
import { ChatReadService } from '../chats/chat-read.service';
import { MessageNotFoundError } from '../conversations/chat.errors';
import { type ActionDto, toActionDto, withoutContent } from '../messages/action.dto';
import type { StreamFormat } from '../reading/reply-query.dto';
import { ReplyResponder } from '../reading/reply-responder';
import type { ListActionsQueryDto, PageAllActionsQueryDto } from './list-actions-query.dto';
import { approvalToDecision, type SentApprovalDto } from './sent-approval.dto';

/** Lists actions, which are requested decisions about tool calls, and takes the decisions. */
@Injectable()
export class ActionsService {
  constructor(
    private readonly reading: ChatReadService,
    private readonly decisions: ToolDecisions,
    private readonly lists: ActionLists,
    private readonly locator: ReplyLocator,
    private readonly responder: ReplyResponder,
    private readonly idempotency: IdempotencyService,
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly config: ContentAccessConfig,
  ) {}

  /** @throws ChatNotFoundError */
  async ofChat(userId: number, chatId: number, query: ListActionsQueryDto): Promise<ListPart<ActionDto>> {
    await this.reading.get(userId, chatId);
    return toDtos(await this.lists.ofChat(chatId, query.state ?? 'open', query));
  }

  /** Lists the user's own actions and those of others that the user may decide. */
  async ofUser(principal: Principal, query: ListActionsQueryDto): Promise<ListPart<ActionDto>> {
    return toDtos(await this.lists.ofUser(principal, query.state ?? 'open', query));
  }

  /**
   * Lists actions of all users. Arguments are shown only to an approver or with a reason, which is logged first.
   *
   * @throws ForbiddenError for a reason, unless ADMIN_CONTENT_ACCESS is on
   */
  async page(principal: Principal, query: PageAllActionsQueryDto): Promise<Page<ActionDto>> {
    const { reason } = query;
    if (reason !== undefined && !this.config.ADMIN_CONTENT_ACCESS) {
      throw new ForbiddenError();
    }
    const { items, total } = await this.lists.all(query.state ?? 'open', partOf(query));
    if (reason !== undefined) {
      const after = { actions: items.map(({ action }) => action.id) };
      const entry = actionAudit.change('read', { id: null, userId: null, before: null, after, reason });
      await this.database.write((manager) => this.events.publish(manager, entry));
    }
    const shown = items.map((one) => {
      const dto = toActionDto(one);
      return reason !== undefined || mayDecide(principal, one.action) ? dto : withoutContent(dto);
    });
    return toPage(shown, total, query);
  }

  /**
   * Takes a decision. The owner gets the continued reply as after a message; other approvers get only the new state.
   *
   * @throws ChatNotFoundError when the owner's conversation is in the trash, even if the action is already decided
   */
  async decide(
    exchange: HttpExchange,
    format: StreamFormat | null,
    principal: Principal,
    chatId: number,
    wish: DecisionRequest,
    key: string | null,
  ): Promise<void> {
    const found = await this.decisions.find(principal, chatId, [wish.id]);
    const isOwner = found.every(({ action }) => action.userId === principal.userId);
    if (isOwner) {
      await this.reading.get(principal.userId, chatId);
    }
    const route = `POST /chat/${chatId}/actions/${wish.id}`;
    // Input for an MCP server is secret: it is erased after delivery.
    const request = { key, route, body: wish, isSecret: wish.arguments !== null };
    const decided = await this.decideOnce(principal, chatId, [wish], request);
    if (isOwner) {
      await this.answer(exchange, format, principal, decided);
      return;
    }
    decided.shown.forEach(({ action: { id, state } }) => exchange.response.json({ id, state }));
  }

  /**
   * Takes the decisions that an AI SDK page sends about parts of one message.
   *
   * @throws ScopeRequiredError
   */
  async decideOnPage(
    exchange: HttpExchange,
    format: StreamFormat | null,
    principal: Principal,
    chatId: number,
    approvals: readonly SentApprovalDto[],
    key: string | null,
  ): Promise<void> {
    assertScope(principal, 'actions:decide');
    await this.reading.get(principal.userId, chatId);
    const wishes = approvals.map(approvalToDecision);
    const request = { key, route: 'POST /chat/message', body: { chat_id: chatId, approvals } };
    await this.answer(exchange, format, principal, await this.decideOnce(principal, chatId, wishes, request));
  }

  /** A decision is always taken only once. The key also detects a reuse with another request. */
  private decideOnce(
    principal: Principal,
    chatId: number,
    wishes: readonly DecisionRequest[],
    request: Omit<RepeatableRequest, 'userId'>,
  ): Promise<Decided> {
    const repeatable = { userId: principal.userId, ...request };
    const ids = wishes.map(({ id }) => id);
    return this.idempotency.once(
      repeatable,
      () =>
        this.decisions.decide(principal, chatId, wishes, {
          decided: (manager, { id, parentId }) =>
            this.idempotency.keep(manager, repeatable, { chatId, userMessageId: parentId ?? 0, messageId: id }),
        }),
      () => this.decisions.decided(principal, chatId, ids),
    );
  }

  private async answer(
    exchange: HttpExchange,
    format: StreamFormat | null,
    principal: Principal,
    { messageId, from }: Decided,
  ): Promise<void> {
    exchange.response.setHeader('X-Stream-Offset', from.offset);
    await this.responder.answer(exchange, format, principal, this.replyOf(messageId), from);
  }

  private async replyOf(messageId: number): Promise<StartedReply> {
    const reply = await this.locator.find(messageId);
    if (reply === null) {
      throw new MessageNotFoundError();
    }
    return { reply, quota: null };
  }
}

function toDtos({ items, total }: ListPart<ShownAction>): ListPart<ActionDto> {
  return { items: items.map(toActionDto), total };
}
