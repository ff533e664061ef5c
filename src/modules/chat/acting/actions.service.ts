import { Injectable } from '@nestjs/common';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import type { ListPart } from '../../../common/envelope/total-count';
import { assertScope, type Principal } from '../../../common/security/principal';
import {
  ActionLists,
  type Decided,
  type DecisionWish,
  type HttpExchange,
  mayDecide,
  ReplyLocator,
  type ShownAction,
  type StartedReply,
  ToolDecisions,
} from '../../generation/generation.api';
import { ChatReadService } from '../chats/chat-read.service';
import { MessageNotFoundError } from '../conversations/chat.errors';
import type { StreamFormat } from '../reading/reply-query.dto';
import { ReplyResponder } from '../reading/reply-responder';
import { type ActionDto, toActionDto } from './action.dto';
import type { ListActionsQueryDto, PageActionsQueryDto } from './list-actions-query.dto';
import { type SentApprovalDto, toWish } from './sent-approval.dto';

/** What people are asked about calls of tools, and what they decide. */
@Injectable()
export class ActionsService {
  constructor(
    private readonly reading: ChatReadService,
    private readonly decisions: ToolDecisions,
    private readonly lists: ActionLists,
    private readonly locator: ReplyLocator,
    private readonly responder: ReplyResponder,
  ) {}

  /** @throws ChatNotFoundError */
  async ofChat(userId: number, chatId: number, query: ListActionsQueryDto): Promise<ListPart<ActionDto>> {
    await this.reading.get(userId, chatId);
    return toDtos(await this.lists.ofChat(chatId, query.state ?? 'open', query));
  }

  /** Their own, and those of others that they may decide. */
  async ofUser(principal: Principal, query: ListActionsQueryDto): Promise<ListPart<ActionDto>> {
    return toDtos(await this.lists.ofUser(principal, query.state ?? 'open', query));
  }

  /** Arguments are shown to those alone who may decide. */
  async page(principal: Principal, query: PageActionsQueryDto): Promise<Page<ActionDto>> {
    const { items, total } = await this.lists.all(query.state ?? 'open', partOf(query));
    const shown = items.map((one) => {
      const dto = toActionDto(one);
      return mayDecide(principal, one.action) ? dto : { ...dto, arguments: null };
    });
    return toPage(shown, total, query);
  }

  /** Takes a decision, and answers its owner like a message; others learn no more than that it was taken. */
  async decide(
    exchange: HttpExchange,
    format: StreamFormat | null,
    principal: Principal,
    chatId: number,
    wish: DecisionWish,
  ): Promise<void> {
    const decided = await this.decisions.decide(principal, chatId, [wish]);
    const [shown] = decided.shown;
    if (shown !== undefined && shown.action.userId !== principal.userId) {
      exchange.response.json({ id: shown.action.id, state: shown.action.state });
      return;
    }
    await this.answer(exchange, format, principal, decided);
  }

  /** The same for what a page of the AI SDK sends: answers to parts of one message. @throws ScopeRequiredError */
  async decideOnPage(
    exchange: HttpExchange,
    format: StreamFormat | null,
    principal: Principal,
    chatId: number,
    approvals: readonly SentApprovalDto[],
  ): Promise<void> {
    assertScope(principal, 'actions:decide');
    await this.reading.get(principal.userId, chatId);
    await this.answer(
      exchange,
      format,
      principal,
      await this.decisions.decide(principal, chatId, approvals.map(toWish)),
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
