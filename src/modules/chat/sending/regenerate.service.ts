import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Lifecycle } from '../../../common/lifecycle';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { AgentService } from '../../agent/agent.service';
import type { QuotaRemaining } from '../../usage/quota.service';
import { UsageService } from '../../usage/usage.service';
import { ChatNotFoundError, GenerationInProgressError, MessageNotFoundError } from '../chat.errors';
import type { RegenerateDto } from '../dto/regenerate.dto';
import { MessageEntity } from '../entities/message.entity';
import type { CountedTexts } from '../reply/counted-texts';
import { ReplyContext } from '../reply/reply-context';
import { ReplyRegistry } from '../reply/reply-registry';
import { ReplyRunner } from '../reply/reply-runner';
import { ReplyTitler } from '../reply/reply-titler';
import { ReplyTask, RunningReply } from '../reply/running-reply';
import { ChatForSending, readChatForSending } from './chat-for-sending';
import { ExchangeTransaction } from './exchange-transaction';
import { ExchangeStore } from './exchange.store';
import { keepNothing, ResultKeeper } from './idempotency.service';
import type { ReplyAnswer } from './reply-answer';

/** Answers messages anew: the new reply takes the place of the earlier one, which stays readable as a branch. */
@Injectable()
export class RegenerateService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly lifecycle: Lifecycle,
    private readonly agents: AgentService,
    private readonly usage: UsageService,
    private readonly transaction: ExchangeTransaction,
    private readonly store: ExchangeStore,
    private readonly context: ReplyContext,
    private readonly titler: ReplyTitler,
    private readonly registry: ReplyRegistry,
    private readonly runner: ReplyRunner,
  ) {}

  /**
   * @param messageId a reply, or the user's message that it answers
   * @param keep for a request that may be repeated
   * @throws ChatNotFoundError, MessageNotFoundError, GenerationInProgressError
   */
  async regenerate(
    principal: Principal,
    chatId: number,
    messageId: number,
    options: RegenerateDto,
    keep: ResultKeeper = keepNothing,
  ): Promise<ReplyAnswer> {
    this.lifecycle.assertAcceptsWork();
    const answer = await this.transaction.run((manager, counted) =>
      this.begin(manager, principal, { chatId, messageId }, options, counted, keep),
    );
    this.runner.start(answer.reply);
    return answer;
  }

  /** As `regenerate`; an id that no message of the conversation has stands for the newest message of the user. */
  async regenerateNamed(
    principal: Principal,
    chatId: number,
    messageId: number | null,
    options: RegenerateDto,
    keep: ResultKeeper,
  ): Promise<ReplyAnswer> {
    const messages = this.database.repository(MessageEntity);
    if (messageId !== null && (await messages.existsBy({ id: messageId, chatId }))) {
      return this.regenerate(principal, chatId, messageId, options, keep);
    }
    const last = await messages.findOne({ where: { chatId, role: 'user' }, order: { position: 'DESC', id: 'DESC' } });
    return this.regenerate(principal, chatId, last?.id ?? 0, options, keep);
  }

  private async begin(
    manager: EntityManager,
    principal: Principal,
    { chatId, messageId }: { chatId: number; messageId: number },
    options: RegenerateDto,
    counted: CountedTexts,
    keep: ResultKeeper,
  ): Promise<{ reply: RunningReply; quota: QuotaRemaining }> {
    const { userId, tier } = principal;
    const chat = await readChatForSending(manager, chatId, userId);
    if (chat === null) {
      throw new ChatNotFoundError();
    }
    const message = await this.findUserMessage(manager, chatId, messageId);
    if (chat.activeMessageId !== null) {
      throw new GenerationInProgressError(chat.activeMessageId);
    }
    const { position } = message;
    const replaced = await manager.findOne(MessageEntity, {
      select: { id: true },
      where: { chatId, position, role: 'assistant', isCurrent: true },
    });
    const task = {
      ...(await this.toTask(principal, chat, message, replaced?.id ?? null, options)),
      counted,
    };
    this.context.assertFits(task, message.content);
    const at = task.startedAt;
    const replyId = await this.store.insertReply(manager, { chatId, position }, message.id, at);
    if (replaced) {
      await this.store.replaceReply(manager, replaced.id, at);
    }
    const quota = await this.usage.requireTokens(manager, userId, tier);
    await this.store.claimChat(manager, chat, userId, replyId, replaced ? 0 : 1, at);
    await this.store.assertMayRun(manager, userId, tier);
    await keep(manager, { chatId, userMessageId: message.id, messageId: replyId });
    const reply = new RunningReply(chatId, message.id, replyId, task);
    this.database.onCommit(() => this.registry.add(reply));
    return { reply, quota };
  }

  private async findUserMessage(manager: EntityManager, chatId: number, messageId: number): Promise<MessageEntity> {
    const message = await manager.findOneBy(MessageEntity, { id: messageId, chatId });
    const answered = message?.parentId
      ? await manager.findOneBy(MessageEntity, { id: message.parentId, chatId })
      : message;
    if (answered?.role !== 'user') {
      throw new MessageNotFoundError();
    }
    return answered;
  }

  private async toTask(
    { userId, tier }: Principal,
    chat: ChatForSending,
    message: MessageEntity,
    replacesId: number | null,
    options: RegenerateDto,
  ): Promise<ReplyTask> {
    return {
      userId,
      tier,
      agent: await this.agents.resolveForSending(chat.agentId, tier),
      language: options.lang ?? message.language ?? chat.language,
      customInstructions: chat.customInstructions,
      title: chat.isUntitled ? this.titler.titleOf(message.content) : null,
      isUntitled: chat.isUntitled,
      messages: 1,
      replacesId,
      endsWithReaders: options.on_disconnect === 'cancel',
      startedAt: this.clock.now(),
    };
  }
}
