import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, Not } from 'typeorm';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { runForRow } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { AgentService, ANY_AGENT } from '../../agent/agent.api';
import {
  type GenerationOptions,
  type GenerationTask,
  isCompaction,
  type LiveReply,
  NO_OPTIONS,
  type OnlyAbandoned,
  type RebuiltReply,
  ReplyLocator,
  type ReplyTable,
  ReplyTables,
} from '../../generation/generation.api';
import { parseSettings, selectSettings } from '../../user/user.api';
import { ChatEntity } from '../conversations/chat.entity';
import { MessageEntity } from '../conversations/message.entity';
import { OptionsStore } from '../options/options.store';
import { ReplyAgents } from '../options/reply-agents';
import { type ChatReplyFacts, ReplyTitler } from '../title/reply-titler';
import { titleFromMessage } from '../title/title-from-message';
import { ChatExchange, ExchangeServices } from './chat-exchange';

/** A reply whose instance is gone and whose conversation still waits for it. */
interface AbandonedRow {
  messageId: number;
  ownerId: string | null;
  chatId: number;
  userId: number;
  agentId: number;
  /** 0 or 1. */
  hasNoTitle: number;
  formerLineEndId: number | null;
}

/** Connects the replies of conversations to the reply engine. */
@Injectable()
export class ChatReplyPlace implements ReplyTable {
  readonly entity = MessageEntity;
  readonly table = 'chat_messages';
  readonly countRunning = 'SELECT COUNT(*) FROM chats WHERE active_message_id IS NOT NULL AND user_id = ?';

  constructor(
    private readonly database: Database,
    private readonly agents: AgentService,
    private readonly exchange: ExchangeServices,
    private readonly titler: ReplyTitler,
    private readonly answerers: ReplyAgents,
    private readonly options: OptionsStore,
    private readonly locator: ReplyLocator,
    places: ReplyTables,
  ) {
    places.add(this);
  }

  exchangeOf(facts: ChatReplyFacts): ChatExchange {
    return new ChatExchange(this, this.exchange, facts);
  }

  /** The live reply of this row: running here, on another instance, or stored. */
  liveReply(row: MessageEntity): Promise<LiveReply> {
    return this.locator.of({ place: this, row });
  }

  async ownerOf({ chatId: id }: Pick<MessageEntity, 'chatId'>): Promise<number> {
    const options = { members: ['id', 'userId'], withDeleted: true } as const;
    return (await findRow(this.database.manager, ChatEntity, { id }, options))?.userId ?? 0;
  }

  /** The title that this exchange set; null if the user has changed it since. */
  async titleOf({ id, chatId }: Pick<MessageEntity, 'id' | 'chatId'>): Promise<string | null> {
    const chat = await this.database
      .repository(ChatEntity)
      .findOne({ select: { id: true, title: true }, where: { id: chatId, titleReplyId: id }, withDeleted: true });
    return chat?.title ?? null;
  }

  settled(): Promise<void> {
    return this.titler.finished();
  }

  async runningOf(userId: number): Promise<number[]> {
    const running = await this.database.repository(ChatEntity).find({
      select: { activeMessageId: true },
      where: { userId, activeMessageId: Not(IsNull()) },
      withDeleted: true,
    });
    return running.map(({ activeMessageId }) => activeMessageId as number);
  }

  async otherVersions(messageId: number): Promise<number[]> {
    const own = await findRow(this.database.manager, MessageEntity, { id: messageId });
    const { chatId, position } = own ?? { chatId: 0, position: 0 };
    const same = { chatId, position, role: 'assistant' as const, id: Not(messageId) };
    return (await findRows(this.database.manager, MessageEntity, same, { members: ['id'] })).map(({ id }) => id);
  }

  /**
   * A copy of a shared conversation starts with text that its owner wrote or made a model write. Files and other
   * untrusted content may contain anything.
   */
  async isTainted(chatId: number): Promise<boolean> {
    const options = { members: ['id', 'copiedAt', 'taintedAt'], withDeleted: true } as const;
    const chat = await findRow(this.database.manager, ChatEntity, { id: chatId }, options);
    return chat !== null && (chat.copiedAt ?? chat.taintedAt) !== null;
  }

  async reopen(manager: EntityManager, { id, chatId }: Pick<MessageEntity, 'id' | 'chatId'>): Promise<boolean> {
    const isFree = 'id = ? AND active_message_id IS NULL AND line_end_id = ? AND deleted_at IS NULL';
    return (await updateRows(manager, ChatEntity, { activeMessageId: id }, isFree, [chatId, id])) > 0;
  }

  async rebuildRun(messageId: number): Promise<RebuiltReply & { messageCount: number }> {
    const message = await findRow(this.database.manager, MessageEntity, { id: messageId });
    const where = { id: message?.chatId ?? 0 };
    const chat = await findRow(this.database.manager, ChatEntity, where, { withDeleted: true });
    if (chat === null) {
      throw new Error(`The conversation of the message ${messageId} is not there.`);
    }
    const { id: chatId, userId, agentId, hasPlaceholderTitle, formerLineEndId, messageCount } = chat;
    const hasNoTitle = hasPlaceholderTitle ? 1 : 0;
    const rebuilt = await this.rebuild({ messageId, chatId, userId, agentId, hasNoTitle, formerLineEndId });
    const [settings] = (await runForRow(this.database.manager, `SELECT ${selectSettings('?')}`, [userId])) as [string];
    const customInstructions = parseSettings(settings).custom_instructions ?? '';
    return { ...rebuilt, task: { ...rebuilt.task, customInstructions }, messageCount };
  }

  async abandoned(onlyAbandoned: OnlyAbandoned): ReturnType<ReplyTable['abandoned']> {
    const waiting = this.database
      .repository(ChatEntity)
      .createQueryBuilder('chat')
      .withDeleted()
      .innerJoin(MessageEntity, 'message', 'message.id = chat.active_message_id')
      .select('message.id', 'messageId')
      .addSelect('message.owner_id', 'ownerId')
      .addSelect('chat.id', 'chatId')
      .addSelect('chat.user_id', 'userId')
      .addSelect('chat.agent_id', 'agentId')
      .addSelect('chat.has_placeholder_title', 'hasNoTitle')
      .addSelect('chat.former_line_end_id', 'formerLineEndId')
      .where('chat.active_message_id IS NOT NULL');
    const rows = await onlyAbandoned(waiting, 'message').getRawMany<AbandonedRow>();
    return rows.map((row) => ({ messageId: row.messageId, ownerId: row.ownerId, rebuild: () => this.rebuild(row) }));
  }

  private async rebuild(row: Omit<AbandonedRow, 'ownerId'>): Promise<RebuiltReply> {
    const { messageId, userId, agentId, hasNoTitle, formerLineEndId } = row;
    const own = (await this.agents.findManyForDisplay([agentId])).get(agentId);
    const message = await this.database.repository(MessageEntity).findOneBy({ id: messageId });
    // The user was allowed to use the agent when the exchange started, so access is not checked again.
    const agent = (await this.answerers.find(message?.answerer ?? null, ANY_AGENT)) ?? own;
    if (agent === undefined || message === null) {
      throw new Error(`The agent ${agentId} or the message ${messageId} is not there.`);
    }
    const question = await this.database.repository(MessageEntity).findOneBy({ id: message.parentId ?? 0 });
    const isUntitled = Number(hasNoTitle) === 1;
    const title = isUntitled ? titleFromMessage(question?.content ?? '') : null;
    const task: GenerationTask = {
      userId,
      tier: 'normal',
      apiKeyId: message.apiKeyId,
      tokensPerDay: null,
      agent,
      language: null,
      customInstructions: '',
      messages: isCompaction(message) ? 0 : formerLineEndId === null ? 2 : 1,
      endsWithReaders: false,
      options: message.steps === null ? null : await this.optionsOf(message),
      startedAt: message.createdAt,
      requestId: null,
    };
    const origin = this.exchangeOf({ title, isUntitled, formerLineEndId, question: null, message: null });
    return { row: message, task, origin };
  }

  /** Instructions and functions were part of the prompt, whose tokens count. */
  private async optionsOf({ optionsId }: MessageEntity): Promise<GenerationOptions> {
    return (await this.options.read(this.database.manager, optionsId)) ?? NO_OPTIONS;
  }
}
