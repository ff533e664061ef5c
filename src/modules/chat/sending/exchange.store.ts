import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { translate } from '../../../common/i18n/translator';
import { findRow } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { type BegunReply, mostMessages, noSteps, ReplyStarter, type ToldSize } from '../../generation/generation.api';
import { type AddedMessages, type QuotaRemaining, StorageService, UsageService } from '../../usage/usage.api';
import { OptionsStore } from '../asking/options.store';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError, GenerationInProgressError } from '../conversations/chat.errors';
import { ChatMaker } from '../conversations/chat-maker';
import { ConversationLine } from '../conversations/conversation-line';
import { MessageEntity } from '../conversations/message.entity';
import { replyStartedEvent } from '../conversations/message.events';
import { ConversationHistory } from '../history/conversation-history';
import { ChatReplyPlace } from '../replies/chat-reply-place';
import { type AddedTurn, addedTurns, saidTurns, turnEvent, turnsKept } from './added-turns';
import { type ExchangePlan, messagesAfter } from './exchange-plan';
import type { ExchangeRequest } from './exchange-request';
import { insertTurns } from './exchange-rows';
import { toldSize } from './told-size';

const IS_FREE =
  'id = ? AND user_id = ? AND active_message_id IS NULL ' +
  'AND COALESCE(line_end_id, 0) = ? AND COALESCE(last_reply_id, 0) = ? AND deleted_at IS NULL';

/** Stores the rows of a new exchange. All methods run within `ReplyStarter.write`. */
@Injectable()
export class ExchangeStore {
  constructor(
    private readonly events: DomainEvents,
    private readonly usage: UsageService,
    private readonly line: ConversationLine,
    private readonly starter: ReplyStarter,
    private readonly maker: ChatMaker,
    private readonly options: OptionsStore,
    private readonly storage: StorageService,
    private readonly place: ChatReplyPlace,
    private readonly history: ConversationHistory,
  ) {}

  /**
   * Stores the whole beginning: messages, then usage, then the chat, then what is held in budgets. `ReplyEndStore` has this
   * order too, against deadlocks.
   *
   * @throws StorageQuotaExceededError, QuotaExceededError, GenerationInProgressError, ChatNotFoundError,
   *   TooManyConcurrentError, BudgetExceededError, ModelNotPricedError
   */
  async begin(
    manager: EntityManager,
    planned: ExchangePlan,
    { repeatable, keep, keptBytes = 0 }: Pick<ExchangeRequest, 'repeatable' | 'keep' | 'keptBytes'>,
  ): Promise<BegunReply> {
    const plan = await this.withChat(manager, planned);
    const { chat, question, task } = plan;
    await this.makeRoom(manager, plan);
    const optionsId = await this.options.keep(manager, chat.id, plan.options);
    const added = question.id === null ? await this.insertTurns(manager, plan) : [];
    const userMessageId = question.id ?? (added.at(-1)?.messageId as number);
    const messageId = await this.insertReply(manager, plan, userMessageId, optionsId);
    const kept = turnsKept(added, plan.countsTexts);
    await this.storage.add(manager, task, [...kept, { messageId, hashes: [], textBytes: keptBytes }]);
    const quota = await this.takeQuota(manager, plan, userMessageId);
    await this.countBefore(manager, plan, task.messages > 0 ? added.slice(0, -1) : saidTurns(added));
    await this.claimChat(manager, plan, messageId);
    const stored = { chatId: chat.id, userMessageId, messageId };
    await this.starter.admit(manager, task, repeatable, stored);
    await keep?.(manager, { ...stored, startedAt: task.startedAt });
    await this.events.publishAll(manager, begunEvents(plan, added.at(-1), { userMessageId, messageId }));
    const begun = { messageCount: messagesAfter(plan), quota };
    const beginning = { ...stored, task, origin: this.place.originOf(plan.facts), begun };
    const reply = await this.starter.begin(manager, beginning, (room) => this.toldSize(manager, plan, room));
    return { reply, quota };
  }

  /** Of a conversation that is being talked in, what is told is known. */
  private toldSize(manager: EntityManager, plan: ExchangePlan, tokens: number): Promise<ToldSize> {
    const { chat, facts, task } = plan;
    const limits = { messages: mostMessages(task.agent) - 1, tokens };
    return toldSize(manager, plan, this.history.known(chat.id, facts.message, limits));
  }

  /** Makes the conversation that begins with this exchange. */
  private async withChat(manager: EntityManager, plan: ExchangePlan): Promise<ExchangePlan> {
    const { chat, made, task } = plan;
    if (made === null) {
      return plan;
    }
    const { userId, apiKeyId, startedAt: at } = task;
    const { id } = await this.maker.make(manager, {
      userId,
      apiKeyId,
      agentId: chat.agentId,
      title: translate(made.language, 'messages.new_chat_title'),
      hasPlaceholderTitle: true,
      language: null,
      at,
    });
    return { ...plan, chat: { ...chat, id } };
  }

  /** Ends the current line before the replaced message, or after it when that message stays. It may be on another line. */
  private async makeRoom(manager: EntityManager, plan: ExchangePlan): Promise<void> {
    const { chat, question, replaced, branch, before } = plan;
    const kept = replaced ?? branch;
    if (kept === null) {
      return;
    }
    if (!kept.isCurrent) {
      await this.line.switchTo(manager, chat.id, kept.id);
    }
    await this.line.cut(manager, chat.id, question.position - before.length, question.id ?? 0);
  }

  /** Stores the turns before the question, and the question, which comes last. */
  private async insertTurns(manager: EntityManager, plan: ExchangePlan): Promise<AddedTurn[]> {
    const ids = await insertTurns(manager, plan, plan.chat.id);
    return addedTurns([...plan.before, plan.question], ids);
  }

  private insertReply(
    manager: EntityManager,
    { chat, question, answerer, task }: ExchangePlan,
    userMessageId: number,
    optionsId: number | null,
  ): Promise<number> {
    return insertRow(manager, MessageEntity, {
      chatId: chat.id,
      position: question.position,
      parentId: userMessageId,
      role: 'assistant',
      content: '',
      tokenCount: 0,
      status: 'streaming',
      isCurrent: true,
      apiKeyId: task.apiKeyId,
      ownerId: this.starter.ownerId,
      steps: task.options === null ? null : noSteps(task.options),
      optionsId,
      answerer,
      createdAt: task.startedAt,
      updatedAt: task.startedAt,
    });
  }

  /** A new message counts as one message. Another reply to an old message, and a compaction, only need tokens that are left. */
  private takeQuota(
    manager: EntityManager,
    { chat, question, task }: ExchangePlan,
    userMessageId: number,
  ): Promise<QuotaRemaining> {
    const { userId, tier, apiKeyId, tokensPerDay, agent, startedAt: at } = task;
    const spender = { userId, tier, apiKeyId, tokensPerDay };
    const message = { ...spender, chatId: chat.id, messageId: userMessageId, agentId: agent.id, at };
    return question.id === null && task.messages > 0
      ? this.usage.recordUserMessage(manager, message)
      : this.usage.requireTokens(manager, spender);
  }

  /** Counts and tells the turns before the question. They take nothing from the quota, for no model is asked. */
  private async countBefore(manager: EntityManager, plan: ExchangePlan, turns: readonly AddedTurn[]): Promise<void> {
    if (turns.length > 0) {
      const place = placeOf(plan);
      await this.usage.recordAdded(manager, { ...place, messages: turns });
      await this.events.publishAll(
        manager,
        turns.map((turn) => turnEvent(place, turn)),
      );
    }
  }

  /**
   * Takes the chat for this reply, if it is free and has not changed since it was read. The statement itself has the
   * condition: of two parallel sends on any instances, one gets the chat, and no message follows an old line.
   */
  private async claimChat(manager: EntityManager, plan: ExchangePlan, messageId: number): Promise<void> {
    const { chat, task, facts } = plan;
    const { userId, startedAt: at } = task;
    const claimed = await updateRows(
      manager,
      ChatEntity,
      {
        activeMessageId: messageId,
        lineEndId: messageId,
        formerLineEndId: facts.formerLineEndId,
        lastReplyId: messageId,
        messageCount: messagesAfter(plan),
        lastMessageAt: at,
        updatedAt: at,
      },
      IS_FREE,
      [chat.id, userId, chat.lineEndId ?? 0, chat.lastReplyId ?? 0],
    );
    if (claimed === 0) {
      const busy = await findRow(manager, ChatEntity, { id: chat.id, userId });
      throw busy ? new GenerationInProgressError(busy.activeMessageId) : new ChatNotFoundError();
    }
  }
}

/** What is told of the beginning: the question, unless nothing new was asked, and the reply. */
function begunEvents(
  plan: ExchangePlan,
  asked: AddedTurn | undefined,
  { userMessageId: parentId, messageId: id }: { userMessageId: number; messageId: number },
): DomainEvent[] {
  const place = placeOf(plan);
  const reply = { id, chatId: place.chatId, parentId, createdAt: place.at };
  return [
    ...(asked !== undefined && plan.task.messages > 0 ? [turnEvent(place, asked)] : []),
    replyStartedEvent(place, reply),
  ];
}

function placeOf({ chat, task }: ExchangePlan): Omit<AddedMessages, 'messages'> {
  return { userId: task.userId, apiKeyId: task.apiKeyId, chatId: chat.id, agentId: task.agent.id, at: task.startedAt };
}
