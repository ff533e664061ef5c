import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors/api-error';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { translate } from '../../../common/i18n/translator';
import { Lifecycle } from '../../../common/lifecycle';
import { ActionBudgets } from '../../../common/rate-limit/action-budgets';
import type { Principal, Tier } from '../../../common/security/principal';
import type { RequestContext } from '../../../common/security/request-context';
import { hasVisible } from '../../../common/text/visible';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRow } from '../../../database/statements/find';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { type Agent, AgentService } from '../../agent/agent.api';
import {
  IdempotencyService,
  type RepeatableRequest,
  ReplyKnowledge,
  ReplyStopper,
  WaitingReplies,
} from '../../generation/generation.api';
import { KnowledgeNotFoundError } from '../../knowledge/knowledge.api';
import { ChatEntity } from '../conversations/chat.entity';
import { ChatNotFoundError, GenerationInProgressError, MessageNotFoundError } from '../conversations/chat.errors';
import { chatEvent } from '../conversations/chat.events';
import { ChatCounts } from '../conversations/chat-counts';
import { type ChatBeginning, ChatMaker } from '../conversations/chat-maker';
import { CHAT_TO_CHANGE, CHAT_TO_RESTORE, type ReadChat } from '../conversations/chat-queries';
import { ConversationLine } from '../conversations/conversation-line';
import { MessageEntity } from '../conversations/message.entity';
import { ConversationHistory } from '../history/conversation-history';
import { ChatReadService } from './chat-read.service';
import type { CreateChatDto } from './create-chat.dto';
import type { UpdateChatDto } from './update-chat.dto';

/**
 * Conversations without a message that a user may create per day; null: no limit. No quota counts them, so without a
 * limit one account could fill the disk.
 */
const EMPTY_CHATS_PER_DAY: Record<Tier, number | null> = { normal: 1_000, paid: 10_000, admin: null };

/**
 * Creates and changes conversations, and moves them into and out of the trash. A conversation of another user is
 * reported as not found. `chat-read.service.ts` reads them.
 */
@Injectable()
export class ChatService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sharedClock: SharedClock,
    private readonly events: DomainEvents,
    private readonly agents: AgentService,
    private readonly maker: ChatMaker,
    private readonly idempotency: IdempotencyService,
    private readonly stopper: ReplyStopper,
    private readonly reading: ChatReadService,
    private readonly counts: ChatCounts,
    private readonly line: ConversationLine,
    private readonly history: ConversationHistory,
    private readonly budgets: ActionBudgets,
    private readonly waitingReplies: WaitingReplies,
    private readonly lifecycle: Lifecycle,
    private readonly knowledge: ReplyKnowledge,
  ) {}

  /**
   * @param context its language is used for the placeholder title
   * @throws ChatNotFoundError when the request is repeated after the conversation was deleted
   * @throws RateLimitExceededError when the user has created too many empty conversations today;
   * ServiceUnavailableError while the process shuts down
   */
  async create(context: RequestContext, body: CreateChatDto, key: string | null): Promise<ReadChat> {
    const { principal } = context;
    const { title = null, agent_id = null, lang = null, knowledge } = body;
    const named = { title, agent_id, lang, ...(knowledge && { knowledge }) };
    const request = { userId: principal.userId, key, route: 'POST /chat', body: named };
    return this.idempotency.once(
      request,
      async () => {
        await this.countEmpty(principal);
        return this.begin(context, body, request);
      },
      ({ chatId }) => this.reading.get(principal.userId, chatId),
    );
  }

  /**
   * Counts a conversation that is about to start without a message. Call it outside of transactions.
   *
   * @throws RateLimitExceededError
   */
  async countEmpty({ userId, tier }: Principal): Promise<void> {
    const limit = EMPTY_CHATS_PER_DAY[tier];
    if (limit !== null) {
      await this.budgets.take({ name: 'empty-chats', limit, milliseconds: DAY_MILLISECONDS }, userId);
    }
  }

  /**
   * Starts a conversation. Pass `request` if the client may repeat it.
   *
   * @throws ServiceUnavailableError while the process shuts down
   */
  async begin(
    { principal, language }: RequestContext,
    { title, agent_id, lang, knowledge, isCopy }: CreateChatDto & Pick<ChatBeginning, 'isCopy'>,
    request?: RepeatableRequest,
  ): Promise<ReadChat> {
    this.lifecycle.assertAcceptsWork();
    const { userId, apiKeyId } = principal;
    const agent = await this.agentFor(principal, agent_id ?? undefined);
    await this.requireReadable(userId, knowledge ?? []);
    const at = this.clock.now();
    const isUntitled = !hasVisible(title ?? '');
    return this.database.write(async (manager) => {
      const chat = await this.maker.make(manager, {
        userId,
        apiKeyId,
        agentId: agent.id,
        title: isUntitled ? translate(language, 'messages.new_chat_title') : (title ?? ''),
        hasPlaceholderTitle: isUntitled,
        language: lang ?? null,
        isCopy,
        knowledge,
        at,
      });
      if (request) {
        await this.idempotency.keep(manager, request, { chatId: chat.id, userMessageId: null, messageId: null });
      }
      return chat;
    });
  }

  /**
   * @throws ValidationFailedError if there is nothing to change; ChatNotFoundError; KnowledgeNotFoundError for a new
   *   collection that the user may not read
   */
  async update(userId: number, id: number, body: UpdateChatDto): Promise<ReadChat> {
    const changes: Partial<ChatEntity> = {
      ...(body.title !== undefined && { title: body.title, hasPlaceholderTitle: false, titleReplyId: null }),
      ...(body.is_pinned !== undefined && { isPinned: body.is_pinned }),
      ...(body.is_archived !== undefined && { isArchived: body.is_archived }),
      ...(body.tags !== undefined && { tags: body.tags }),
      ...(body.knowledge !== undefined && { knowledge: body.knowledge.length > 0 ? body.knowledge : null }),
    };
    const changed = Object.keys(body).filter(
      (name) => UPDATABLE.has(name) && body[name as keyof UpdateChatDto] !== undefined,
    );
    if (changed.length === 0) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    if (body.knowledge?.length) {
      const { knowledge } = await this.reading.get(userId, id);
      const added = body.knowledge.filter((one) => !knowledge?.includes(one));
      await this.requireReadable(userId, added);
    }
    return this.database.write(async (manager) => {
      const before = await CHAT_TO_CHANGE.first(manager, [id, userId]);
      const chat = await this.change(manager, before, { ...changes, updatedAt: this.clock.now() });
      if (chat.isArchived !== before?.isArchived) {
        await this.counts.moved(manager, chat);
      }
      await this.events.publish(manager, chatEvent('chat.updated', chat, { changed }));
      return chat;
    });
  }

  /**
   * Makes the line through a message the current one.
   *
   * @throws ChatNotFoundError, MessageNotFoundError, GenerationInProgressError, ServiceUnavailableError
   */
  async switchLine(userId: number, id: number, messageId: number): Promise<void> {
    const { lineEndId } = await this.reading.get(userId, id);
    if (lineEndId !== null && lineEndId !== messageId) {
      await this.endWaiting(id, lineEndId, messageId);
    }
    await this.line.turns.run(userId, () => this.writeLine(userId, id, messageId));
  }

  private async writeLine(userId: number, id: number, messageId: number): Promise<void> {
    await this.database.write(async (manager) => {
      const chat = await findLocked(manager, ChatEntity, { id, userId });
      if (chat === null) {
        throw new ChatNotFoundError();
      }
      const message = await findRow(manager, MessageEntity, { id: messageId, chatId: id });
      if (message === null) {
        throw new MessageNotFoundError();
      }
      if (message.isCurrent) {
        return;
      }
      if (chat.activeMessageId !== null) {
        throw new GenerationInProgressError(chat.activeMessageId);
      }
      const line = await this.line.switchLine(manager, id, messageId);
      await updateRows(manager, ChatEntity, { ...line, updatedAt: this.clock.now() }, { id });
      await this.events.publish(manager, chatEvent('chat.updated', chat, { changed: ['line'] }));
    });
  }

  /** Ends the reply that waits for a person on the line that is left. */
  private async endWaiting(chatId: number, lineEndId: number, messageId: number): Promise<void> {
    const message = await findRow(this.database.manager, MessageEntity, { id: messageId, chatId });
    if (message?.isCurrent === false) {
      await this.waitingReplies.end(lineEndId, 'declined');
    }
  }

  /**
   * Moves the conversation to the trash and stops its running reply.
   *
   * @throws ChatNotFoundError
   */
  async remove(userId: number, id: number): Promise<void> {
    const chat = await this.database.write(async (manager) => {
      const present = await CHAT_TO_CHANGE.first(manager, [id, userId]);
      const deleted = await this.change(manager, present, { deletedAt: this.sharedClock.now() });
      await this.counts.removed(manager, deleted);
      await this.events.publish(manager, chatEvent('chat.deleted', deleted, { reason: 'owner' }));
      this.history.forgetOnCommit([id]);
      return deleted;
    });
    if (chat.activeMessageId !== null) {
      await this.stopper.request(chat.activeMessageId);
    } else if (chat.lineEndId !== null) {
      await this.waitingReplies.end(chat.lineEndId, 'stopped');
    }
  }

  /**
   * Restores the conversation from the trash.
   *
   * @throws ChatNotFoundError if it is not in the trash
   */
  async restore(userId: number, id: number): Promise<ReadChat> {
    const key = [id, userId, this.reading.purgeLimit()];
    const trashed = await CHAT_TO_RESTORE.first(this.database.manager, key);
    if (trashed !== null && trashed.lineEndId !== null) {
      // A failure may have happened after the move to the trash and before the waiting reply was ended.
      await this.waitingReplies.end(trashed.lineEndId, 'stopped');
    }
    return this.database.write(async (manager) => {
      const deleted = await CHAT_TO_RESTORE.first(manager, key);
      const chat = await this.change(manager, deleted, { deletedAt: null });
      await this.counts.added(manager, chat);
      await this.events.publish(manager, chatEvent('chat.restored', chat));
      return chat;
    });
  }

  /** @throws KnowledgeNotFoundError if the user may not read one of these collections */
  private async requireReadable(userId: number, ids: readonly number[]): Promise<void> {
    if ((await this.knowledge.searchable(userId, ids)).length < ids.length) {
      throw new KnowledgeNotFoundError();
    }
  }

  /** The named agent; if absent, the user's default agent; if absent, the default of the installation. */
  private async agentFor(caller: Principal, agentId: number | undefined): Promise<Agent> {
    if (agentId !== undefined) {
      return this.agents.resolveForNewChat(agentId, caller);
    }
    const { defaultAgentId } = caller;
    if (defaultAgentId !== null) {
      try {
        return await this.agents.resolveForNewChat(defaultAgentId, caller);
      } catch (error) {
        // The user's default agent may have been deleted or restricted. Then the next default is used.
        if (!(error instanceof ApiError)) {
          throw error;
        }
      }
    }
    return this.agents.resolveForNewChat(undefined, caller);
  }

  /**
   * Changes the conversation.
   *
   * @param chat the locked row; null if it was not found
   * @throws ChatNotFoundError
   */
  private async change(manager: EntityManager, chat: ReadChat | null, changes: Partial<ChatEntity>): Promise<ReadChat> {
    if (chat === null) {
      throw new ChatNotFoundError();
    }
    await updateRows(manager, ChatEntity, changes, 'id = ?', [chat.id]);
    return { ...chat, ...changes };
  }
}

const UPDATABLE = new Set(['title', 'is_pinned', 'is_archived', 'tags', 'knowledge']);
