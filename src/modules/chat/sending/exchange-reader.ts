import { Injectable } from '@nestjs/common';
import { type EntityManager, LessThan, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRow, findRows, rowExists } from '../../../database/statements/find';
import { skipLocked } from '../../../database/statements/row-lock';
import { runForRow } from '../../../database/statements/run-statement';
import { type Agent, type AgentCaller, AgentService } from '../../agent/agent.api';
import { hasReturnedMessage } from '../../generation/generation.api';
import { parseSettings, selectSettings } from '../../user/user.api';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError, GenerationInProgressError, MessageNotFoundError } from '../conversations/chat.errors';
import { ChatLockedError } from '../conversations/locked-chat';
import { MessageEntity } from '../conversations/message.entity';
import { ReplyOrigins } from '../options/options.store';
import { type ReplyAgent, ReplyAgents } from '../options/reply-agents';
import type { Found, FoundChat } from './exchange-plan';
import type { ExchangeRequest, ShownMessages, ShownSubject, StoredSubject } from './exchange-request';

/** A message that the page may refer to. */
interface Candidate {
  id: number;
  content: string;
}

/** The columns of `SELECT_CHAT`. */
type ChatRow = [
  agentId: number,
  language: string | null,
  hasPlaceholderTitle: number,
  messageCount: number,
  lineEndId: number | null,
  lastReplyId: number | null,
  activeMessageId: number | null,
  settings: string,
  answerer: string | null,
  waitingReplyId: number | null,
  knowledge: string | null,
  hasFiles: number,
];

const SELECT_CHAT = `
  SELECT chat.agent_id, chat.language, chat.has_placeholder_title, chat.message_count, chat.line_end_id,
    chat.last_reply_id, chat.active_message_id, ${selectSettings('chat.user_id')} AS settings,
    (SELECT message.answerer FROM chat_messages message WHERE message.id = chat.line_end_id) AS answerer,
    (SELECT message.id FROM chat_messages message
      WHERE message.id = chat.line_end_id AND message.status = 'requires_action') AS waiting, chat.knowledge, chat.has_files
  FROM chats chat
  WHERE chat.id = ? AND chat.user_id = ? AND chat.deleted_at IS NULL`;

const SELECT_SETTINGS = `SELECT ${selectSettings('?')}`;

/**
 * Reads the subject of an exchange: first the message that the client refers to, then, in the transaction, the
 * conversation.
 */
@Injectable()
export class ExchangeReader {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly agents: AgentService,
    private readonly answerers: ReplyAgents,
    private readonly origins: ReplyOrigins,
  ) {}

  /**
   * Finds the stored message that the client refers to. A message that the page shows but that was never stored counts
   * as new.
   *
   * @throws MessageNotFoundError if the message cannot be identified
   */
  async findSubject({ chatId, subject }: ExchangeRequest): Promise<StoredSubject> {
    if (subject.kind !== 'shown' || typeof chatId !== 'number') {
      return subject as StoredSubject;
    }
    return subject.wish === 'edit' ? this.findEdited(chatId, subject) : this.findRegenerated(chatId, subject);
  }

  /**
   * Call it in the transaction that takes the conversation, so that the result stays valid, and lock the conversation
   * before all other rows.
   *
   * @param lock whether to lock the conversation; otherwise the result may become outdated
   * @throws ChatLockedError, ChatNotFoundError, MessageNotFoundError, GenerationInProgressError, AgentInactiveError,
   * MembershipRequiredError
   */
  async read(
    manager: EntityManager,
    request: ExchangeRequest,
    subject: StoredSubject,
    { lock }: { lock: boolean },
  ): Promise<Found> {
    const { sender, chatId } = request;
    if (typeof chatId !== 'number') {
      const chat = await this.newChat(manager, sender.userId, chatId.agent);
      const agent = request.agent ?? chatId.agent;
      return { chat, earlier: null, isReturned: false, branch: null, agent, origin: null, at: this.clock.now() };
    }
    const chat = await this.readChat(manager, sender.userId, chatId, lock);
    const isNew = subject.kind === 'new' || subject.kind === 'turns';
    const earlier = isNew ? null : await this.readEarlier(manager, chatId, subject);
    const branch = subject.kind === 'turns' ? await this.readBranch(manager, chat, subject.after) : null;
    if (chat.activeMessageId !== null) {
      throw new GenerationInProgressError(chat.activeMessageId);
    }
    const named = 'messageId' in subject ? subject.messageId : 0;
    const origin = earlier && (await this.origins.findSettings(manager, earlier, named));
    const isReturned = earlier !== null && isRepeated(subject) && (await this.isReturned(manager, earlier, named));
    const agent = request.agent ?? (await this.agentOf(chat, origin ?? chat, sender));
    return { chat, earlier, isReturned, branch, agent, origin, at: this.clock.now() };
  }

  /**
   * The previous answerer answers again. The agent of the conversation answers if there was none or it is no longer
   * available.
   */
  private async agentOf(
    { agentId }: FoundChat,
    { answerer }: Pick<FoundChat, 'answerer'>,
    sender: AgentCaller,
  ): Promise<ReplyAgent> {
    const other = answerer === null ? null : await this.answerers.find(answerer, sender);
    return other ?? this.agents.resolveForSending(agentId, sender);
  }

  /**
   * Reads the conversation in one statement.
   *
   * @throws ChatNotFoundError if the user has no such conversation or deleted it; ChatLockedError if `lock` is set and
   * another transaction has locked it
   */
  async readChat(manager: EntityManager, userId: number, chatId: number, lock = false): Promise<FoundChat> {
    const statement = lock ? skipLocked(manager, SELECT_CHAT) : SELECT_CHAT;
    const row = (await runForRow(manager, statement, [chatId, userId])) as ChatRow | undefined;
    if (row === undefined) {
      const isLocked = lock && (await rowExists(manager, ChatEntity, { id: chatId, userId }));
      throw isLocked ? new ChatLockedError() : new ChatNotFoundError();
    }
    const [agentId, language, hasPlaceholderTitle, messageCount, lineEndId, lastReplyId, activeMessageId] = row;
    const [settings, answerer, waitingReplyId, knowledge, hasFiles] = row.slice(-5) as [
      string,
      string | null,
      number | null,
      string | null,
      number,
    ];
    return {
      id: chatId,
      agentId,
      language,
      isUntitled: hasPlaceholderTitle === 1,
      messageCount,
      lineEndId,
      lastReplyId,
      activeMessageId,
      waitingReplyId,
      customInstructions: parseSettings(settings).custom_instructions ?? '',
      answerer,
      knowledge: knowledge === null ? [] : (JSON.parse(knowledge) as number[]),
      hasFiles: Boolean(hasFiles),
    };
  }

  /** A conversation before its first message. */
  private async newChat(manager: EntityManager, userId: number, agent: Agent): Promise<FoundChat> {
    const [settings] = (await runForRow(manager, SELECT_SETTINGS, [userId])) as [string];
    return {
      id: 0,
      agentId: agent.id,
      language: null,
      isUntitled: true,
      messageCount: 0,
      lineEndId: null,
      lastReplyId: null,
      activeMessageId: null,
      waitingReplyId: null,
      customInstructions: parseSettings(settings).custom_instructions ?? '',
      answerer: null,
      knowledge: [],
      hasFiles: false,
    };
  }

  /** The message that the turns follow; null if it is the end of the line. */
  private async readBranch(
    manager: EntityManager,
    { id: chatId, lineEndId }: FoundChat,
    after: number | null,
  ): Promise<MessageEntity | null> {
    if (after === null || after === lineEndId) {
      return null;
    }
    const message = await findRow(manager, MessageEntity, { id: after, chatId });
    if (message === null) {
      throw new MessageNotFoundError();
    }
    return message;
  }

  /** The user's message to edit or answer again. For a regeneration, a client may also name the reply. */
  private async readEarlier(
    manager: EntityManager,
    chatId: number,
    subject: Extract<StoredSubject, { messageId: number }>,
  ): Promise<MessageEntity> {
    const { kind, messageId } = subject;
    const named = await findRow(manager, MessageEntity, { id: messageId, chatId });
    const isReply = kind === 'regenerate' && named?.role === 'assistant' && named.parentId !== null;
    const message = isReply ? await findRow(manager, MessageEntity, { id: named.parentId as number, chatId }) : named;
    if (message === null || (message.role !== 'user' && !isRepeated(subject))) {
      throw new MessageNotFoundError();
    }
    return message;
  }

  /**
   * Whether the question was returned to the quota because its reply was cut. Only the first reply to a question
   * returns it.
   */
  private async isReturned(
    manager: EntityManager,
    { chatId, position, id: parentId }: MessageEntity,
    replyId: number,
  ): Promise<boolean> {
    const cut = await findRow(manager, MessageEntity, { id: replyId, chatId });
    if (cut === null || !hasReturnedMessage(cut)) {
      return false;
    }
    const earlier = { chatId, position, parentId, role: 'assistant', id: LessThan(replyId) } as const;
    return !(await rowExists(manager, MessageEntity, earlier));
  }

  private async findEdited(chatId: number, { messageId, content, parts, page }: ShownSubject): Promise<StoredSubject> {
    if (messageId === null && !page?.namesMessage) {
      return { kind: 'new', content, parts };
    }
    if (messageId !== null && (await this.has(chatId, messageId))) {
      return { kind: 'edit', messageId, content, parts };
    }
    if (page === null) {
      throw new MessageNotFoundError();
    }
    const found = await this.findShown(chatId, page);
    return found === null ? { kind: 'new', content, parts } : { kind: 'edit', messageId: found.id, content, parts };
  }

  private async findRegenerated(
    chatId: number,
    { messageId, content, parts, page }: ShownSubject,
  ): Promise<StoredSubject> {
    if (messageId !== null && (await this.has(chatId, messageId))) {
      return { kind: 'regenerate', messageId };
    }
    const found = page === null ? await this.findNewest(chatId) : await this.findShown(chatId, page);
    const isStored = found !== null && (page === null || page.texts.length === 0 || found.content === content);
    return isStored || page === null
      ? { kind: 'regenerate', messageId: found?.id ?? 0 }
      : { kind: 'new', content, parts };
  }

  private has(chatId: number, id: number): Promise<boolean> {
    return rowExists(this.database.manager, MessageEntity, { id, chatId });
  }

  private findNewest(chatId: number): Promise<Candidate | null> {
    return findRow(
      this.database.manager,
      MessageEntity,
      { chatId, role: 'user', isCurrent: true },
      { members: ['id', 'content'], order: { position: 'DESC', id: 'DESC' } },
    );
  }

  /**
   * The user's last message on the page. After the last message with a stored ID, the page shows the user's stored
   * messages and, between them, messages that were refused and not stored. The texts identify the stored ones.
   */
  private async findShown(chatId: number, { knownId, texts }: ShownMessages): Promise<Candidate | null> {
    const known =
      knownId === null ? null : await findRow(this.database.manager, MessageEntity, { id: knownId, chatId });
    if (knownId !== null && (known === null || texts.length === 0)) {
      return known;
    }
    const stored = await this.findUserMessages(chatId, known, texts.length);
    let index = 0;
    for (const text of texts.slice(0, -1)) {
      index += stored[index]?.content === text ? 1 : 0;
    }
    return stored[index] ?? null;
  }

  /** The user's messages on the current line; after a message on another line, the newest that was sent there. */
  private findUserMessages(chatId: number, known: MessageEntity | null, count: number): Promise<Candidate[]> {
    const position = MoreThan(known?.position ?? -1);
    const isOffLine = known !== null && !known.isCurrent;
    return findRows(
      this.database.manager,
      MessageEntity,
      { chatId, role: 'user', position, ...(isOffLine ? { parentId: known.id } : { isCurrent: true }) },
      { members: ['id', 'content'], order: isOffLine ? { id: 'DESC' } : { position: 'ASC' }, limit: count },
    );
  }
}

function isRepeated(subject: StoredSubject): boolean {
  return subject.kind === 'regenerate' && subject.isRepeated === true;
}
