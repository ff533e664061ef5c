import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { translate } from '../../../common/i18n/translator';
import { findRow } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { estimateParts } from '../../../integrations/llm/counting/prompt-estimate';
import { TokenBounds } from '../../../integrations/llm/counting/token-bounds';
import { estimateTokens } from '../../../integrations/llm/counting/token-estimate';
import {
  type Ended,
  type EndedRow,
  type MeasureSize,
  mostMessages,
  type NewReply,
  noSteps,
  type PromptRoom,
  type Released,
  type ReplyEnd,
  type ReplyTable,
  spanColumns,
  type StoredIds,
  type Turn,
  type WrittenReply,
} from '../../generation/generation.api';
import { type AddedMessages, StorageService, UsageService } from '../../usage/usage.api';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError, GenerationInProgressError } from '../conversations/chat.errors';
import { ChatMaker } from '../conversations/chat-maker';
import { ConversationLine, type LineEnd } from '../conversations/conversation-line';
import { MessageEntity } from '../conversations/message.entity';
import { replyEndedEvent, replyStartedEvent } from '../conversations/message.events';
import { ConversationHistory } from '../history/conversation-history';
import { PromptHistory } from '../history/prompt-history';
import { OptionsStore } from '../options/options.store';
import { type ChatReplyFacts, ReplyTitler } from '../title/reply-titler';
import { type ExchangePlan, newSearchedFiles } from './exchange-plan';
import type { NewConversation } from './exchange-request';
import {
  type AddedTurn,
  addedTurns,
  insertTurns,
  saidTurns,
  taintChanges,
  turnEvent,
  turnsKept,
} from './exchange-rows';
import { promptSize } from './prompt-size';

const IS_FREE =
  'id = ? AND user_id = ? AND active_message_id IS NULL ' +
  'AND COALESCE(line_end_id, 0) = ? AND COALESCE(last_reply_id, 0) = ? AND deleted_at IS NULL';

/** The services that all exchanges use. */
@Injectable()
export class ExchangeServices {
  constructor(
    readonly events: DomainEvents,
    readonly usage: UsageService,
    readonly storage: StorageService,
    readonly line: ConversationLine,
    readonly maker: ChatMaker,
    readonly options: OptionsStore,
    readonly history: ConversationHistory,
    readonly promptHistory: PromptHistory,
    readonly bounds: TokenBounds,
    readonly titler: ReplyTitler,
  ) {}
}

/** The rows of an exchange that has started. */
interface StoredRows extends StoredIds {
  /** The messages that this exchange stored, with the question last; empty if the question was already stored. */
  added: readonly AddedTurn[];
}

/** A conversation during one exchange: a message and its reply. */
export class ChatExchange implements NewReply<ExchangePlan, StoredRows> {
  readonly keepsSteps = true;
  readonly choosesTurns = true;
  readonly promptTokens = null;
  /** The line that was restored at the end. */
  private line: LineEnd | null = null;
  /** Tokens of the stored reply. */
  private tokenCount = 0;

  /** The plan is not a member, so that running replies do not keep their messages in memory. */
  constructor(
    readonly place: ReplyTable,
    private readonly services: ExchangeServices,
    private readonly facts: ChatReplyFacts,
  ) {}

  /** @throws StorageQuotaExceededError */
  async store(manager: EntityManager, plan: ExchangePlan, ownerId: string): Promise<StoredRows> {
    const { options, storage } = this.services;
    const { chat, made, question, task } = plan;
    const chatId = made === null ? chat.id : await this.makeChat(manager, plan, made);
    const kept = plan.replaced ?? plan.branch;
    if (kept !== null) {
      await this.makeRoom(manager, plan, kept);
    }
    const optionsId = plan.options === null ? null : await options.keep(manager, chatId, plan.options);
    const added =
      question.id === null ? addedTurns([...plan.before, question], await insertTurns(manager, plan, chatId)) : [];
    const userMessageId = question.id ?? (added.at(-1)?.messageId as number);
    const rows = { chatId, userMessageId, optionsId };
    const messageId = await insertRow(manager, MessageEntity, replyRow(plan, rows, ownerId));
    const bytes = [...turnsKept(added, plan.countsTexts), { messageId, hashes: [], textBytes: plan.keptBytes }];
    const counted = bytes.filter(({ hashes, textBytes }) => hashes.length > 0 || textBytes > 0);
    if (counted.length > 0) {
      await storage.add(manager, task, counted);
    }
    return { chatId, userMessageId, messageId, added };
  }

  /**
   * Counts the turns before the question, and takes the conversation for this reply if it is free and unchanged since
   * it was read. The condition is part of the statement: of two parallel sends on any instances, one gets the
   * conversation, and no message follows an old line.
   *
   * @throws GenerationInProgressError, ChatNotFoundError
   */
  async claim(manager: EntityManager, plan: ExchangePlan, stored: StoredRows): Promise<void> {
    const { chat, task, before, question } = plan;
    const { chatId, messageId, added } = stored;
    const { userId, startedAt: at } = task;
    const countedTurns = task.messages > 0 ? added.slice(0, -1) : saidTurns(added);
    if (countedTurns.length > 0) {
      await this.countTurns(manager, plan, chatId, countedTurns);
    }
    const claimed = await updateRows(
      manager,
      ChatEntity,
      {
        activeMessageId: messageId,
        lineEndId: messageId,
        formerLineEndId: this.facts.formerLineEndId,
        lastReplyId: messageId,
        messageCount: plan.messageCount,
        lastMessageAt: at,
        updatedAt: at,
        ...(newSearchedFiles(plan).length > 0 && { hasFiles: true }),
        ...taintChanges(question.id === null ? [...before, question] : [], at),
      },
      IS_FREE,
      [chatId, userId, chat.lineEndId ?? 0, chat.lastReplyId ?? 0],
    );
    if (claimed === 0) {
      const busy = await findRow(manager, ChatEntity, { id: chatId, userId });
      throw busy ? new GenerationInProgressError(busy.activeMessageId) : new ChatNotFoundError();
    }
  }

  async keep(manager: EntityManager, { keep, task }: ExchangePlan, stored: StoredRows): Promise<void> {
    const { chatId, userMessageId, messageId } = stored;
    await keep?.(manager, { chatId, userMessageId, messageId, startedAt: task.startedAt });
  }

  /** The events of the question, if this exchange stored it, and of the reply. */
  events(plan: ExchangePlan, { chatId, userMessageId: parentId, messageId: id, added }: StoredRows): DomainEvent[] {
    const place = placeOf(plan, chatId);
    const asked = added.at(-1);
    return [
      ...(asked !== undefined && plan.task.messages > 0 ? [turnEvent(place, asked)] : []),
      replyStartedEvent(place, { id, chatId, parentId, createdAt: place.at }),
    ];
  }

  promptSize(manager: EntityManager, plan: ExchangePlan, { chatId }: StoredRows): MeasureSize {
    const { history, bounds } = this.services;
    return (tokens, isHard) => {
      const limits = { messages: mostMessages(plan.task.agent) - 1, tokens };
      const known = history.known(chatId, this.facts.message, limits);
      return promptSize(manager, chatId, plan, { known, room: tokens, bounds: isHard ? bounds : null });
    };
  }

  /**
   * The prompt.
   *
   * @throws ContextTooLongError if the prompt does not fit and nothing may be left out
   */
  async turns(reply: WrittenReply, roomFor: (question: string) => PromptRoom): Promise<readonly Turn[]> {
    const { question, message } = this.facts;
    const { promptHistory } = this.services;
    const asked = question ?? (await promptHistory.question(reply.userMessageId));
    return promptHistory.turns(reply, asked, roomFor(asked.content), message);
  }

  /** Restores the former line if another reply to an old message ended early without text. */
  async storeEnd(manager: EntityManager, { reply, outcome }: Ended, row: EndedRow): Promise<boolean> {
    const { formerLineEndId } = this.facts;
    this.tokenCount = tokensOf(reply, row);
    if (!(await storeRow(manager, reply, { ...row, tokenCount: this.tokenCount }))) {
      return false;
    }
    const isGivenUp = outcome.status !== 'completed' && outcome.status !== 'requires_action';
    this.line =
      formerLineEndId !== null && isGivenUp && reply.isEmpty
        ? await this.services.line.switchLine(manager, reply.chatId, formerLineEndId)
        : null;
    return true;
  }

  async release(manager: EntityManager, { reply, outcome, at }: Ended, row: EndedRow): Promise<Released> {
    const { events, history, titler } = this.services;
    const { chatId, messageId: id, userMessageId: parentId, task } = reply;
    const message = { ...row, tokenCount: this.tokenCount };
    await releaseChat(manager, reply, at, this.line);
    const title = await titler.setFromMessage(manager, reply, this.facts, outcome.status === 'failed');
    if (outcome.status !== 'requires_action') {
      const owner = { userId: task.userId, agentId: task.agent.id };
      await events.publish(manager, replyEndedEvent(owner, { ...message, id, chatId, parentId }));
      history.endedOnCommit(reply, message);
    }
    return { title, messageCount: this.line?.messageCount ?? null };
  }

  async storeLeast(manager: EntityManager, reply: WrittenReply, row: Partial<EndedRow>, at: Date): Promise<boolean> {
    if (!(await storeRow(manager, reply, row))) {
      return false;
    }
    await releaseChat(manager, reply, at, null);
    return true;
  }

  /** Starts generating a title with a model, if one is configured. */
  afterEnd(reply: WrittenReply, end: ReplyEnd): void {
    this.services.titler.afterReply(reply, this.facts, end);
  }

  private async makeChat(
    manager: EntityManager,
    { chat, task }: ExchangePlan,
    { language }: NewConversation,
  ): Promise<number> {
    const { userId, apiKeyId, startedAt: at } = task;
    const { id } = await this.services.maker.make(manager, {
      userId,
      apiKeyId,
      agentId: chat.agentId,
      title: translate(language, 'messages.new_chat_title'),
      hasPlaceholderTitle: true,
      language: null,
      at,
    });
    return id;
  }

  /**
   * Cuts the current line before the replaced message, or after it if that message stays. The message may be on another
   * line.
   */
  private async makeRoom(
    manager: EntityManager,
    { chat, question, before }: ExchangePlan,
    kept: Pick<MessageEntity, 'id' | 'isCurrent'>,
  ): Promise<void> {
    const { line } = this.services;
    if (!kept.isCurrent) {
      await line.switchLine(manager, chat.id, kept.id);
    }
    await line.cut(manager, chat.id, question.position - before.length, question.id ?? 0);
  }

  /**
   * Counts and publishes the turns before the question. They do not count for the quota, because no model is called for
   * them.
   */
  private async countTurns(
    manager: EntityManager,
    plan: ExchangePlan,
    chatId: number,
    turns: readonly AddedTurn[],
  ): Promise<void> {
    const { events, usage } = this.services;
    const place = placeOf(plan, chatId);
    await usage.recordAdded(manager, { ...place, messages: turns });
    await events.publishAll(
      manager,
      turns.map((turn) => turnEvent(place, turn)),
    );
  }
}

function placeOf({ task }: ExchangePlan, chatId: number): Omit<AddedMessages, 'messages'> {
  return { userId: task.userId, apiKeyId: task.apiKeyId, chatId, agentId: task.agent.id, at: task.startedAt };
}

/** The row of a new reply. */
function replyRow(
  { question, answerer, task }: ExchangePlan,
  { chatId, userMessageId, optionsId }: { chatId: number; userMessageId: number; optionsId: number | null },
  ownerId: string,
): Partial<MessageEntity> {
  return {
    chatId,
    position: question.position,
    parentId: userMessageId,
    role: 'assistant',
    content: '',
    tokenCount: 0,
    status: 'streaming',
    isCurrent: true,
    apiKeyId: task.apiKeyId,
    ownerId,
    steps: task.options === null ? null : noSteps(task.options),
    optionsId,
    answerer,
    createdAt: task.startedAt,
    updatedAt: task.startedAt,
    ...spanColumns(task),
  };
}

/** @returns false if the reply has already ended */
async function storeRow(
  manager: EntityManager,
  { messageId }: WrittenReply,
  row: Partial<MessageEntity>,
): Promise<boolean> {
  return (await updateRows(manager, MessageEntity, row, "id = ? AND status = 'streaming'", [messageId])) > 0;
}

async function releaseChat(
  manager: EntityManager,
  { chatId, messageId }: WrittenReply,
  at: Date,
  line: LineEnd | null,
): Promise<void> {
  const changes = { activeMessageId: null, lastMessageAt: at, updatedAt: at, ...line };
  await updateRows(manager, ChatEntity, changes, 'id = ? AND active_message_id = ?', [chatId, messageId]);
}

/** Estimated tokens of a stored reply. */
function tokensOf({ toolCalls, toolResults, compaction }: WrittenReply, { content }: EndedRow): number {
  return estimateTokens(content) + estimateParts([...toolCalls, ...toolResults, ...(compaction ? [compaction] : [])]);
}
