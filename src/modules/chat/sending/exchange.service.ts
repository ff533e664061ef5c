import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { GuardPresence } from '../../../common/guard-presence';
import { Database } from '../../../database/database';
import {
  type BegunReply,
  combined,
  InputGuard,
  type LiveReply,
  NO_COUNTS,
  PromptBuilder,
  Replies,
  ReplyBudget,
  ReplyDrivers,
  ReplyLocator,
  ReplyStarter,
  ReplyStopper,
  type RequestResult,
  type StartedReply,
  type TokenCounts,
  ToolOffer,
  type Turn,
  WaitingReplies,
} from '../../generation/generation.api';
import type { CheckLog } from '../../guard/guard.api';
import { ChatFiles } from '../../knowledge/knowledge.api';
import { GenerationInProgressError, MessageNotFoundError } from '../conversations/chat.errors';
import { repeatWhileLocked } from '../conversations/locked-chat';
import { ChatReplyPlace } from './chat-reply-place';
import {
  type ExchangePlan,
  newSearchedFiles,
  optionsFor,
  planExchange,
  type StoredTurn,
  withFileIds,
} from './exchange-plan';
import { ExchangeReader } from './exchange-reader';
import type { ExchangeRequest, StoredSubject } from './exchange-request';
import { MessageCounts } from './message-counts';
import { SentMessageReader } from './sent-message-reader';
import { TurnFiles } from './turn-files';

/** The result of one attempt to start. After every result but `begun`, another attempt may succeed. */
type BeginResult =
  | ({ kind: 'begun' } & BegunReply)
  | { kind: 'busy'; error: GenerationInProgressError }
  | { kind: 'uncounted'; texts: string[] }
  | { kind: 'unheld'; texts: string[] };

/**
 * An exchange is a user's message and its reply: sent, edited or regenerated. This class starts it; `ReplyRunner`
 * writes the reply, and `ReplyEndStore` ends it. See docs/chat.md.
 */
@Injectable()
export class ExchangeService {
  constructor(
    private readonly database: Database,
    private readonly starter: ReplyStarter,
    private readonly reader: ExchangeReader,
    private readonly prompt: PromptBuilder,
    private readonly replies: Replies,
    private readonly place: ChatReplyPlace,
    private readonly locator: ReplyLocator,
    private readonly stopper: ReplyStopper,
    private readonly files: TurnFiles,
    private readonly sent: SentMessageReader,
    private readonly offer: ToolOffer,
    private readonly drivers: ReplyDrivers,
    private readonly waitingReplies: WaitingReplies,
    private readonly counts: MessageCounts,
    private readonly budget: ReplyBudget,
    private readonly chatFiles: ChatFiles,
    private readonly guards: GuardPresence,
    private readonly guard: InputGuard,
  ) {}

  /**
   * Stores the message and a new reply, and starts the reply. A repeated request with the same key gets the same reply.
   * If a crash ended that reply, the stored message gets another one.
   *
   * @throws ChatNotFoundError, MessageNotFoundError, GenerationInProgressError, IdempotencyConflictError,
   * ContextTooLongError, QuotaExceededError, StorageQuotaExceededError, TooManyConcurrentError, BudgetExceededError,
   * ModelNotPricedError, ServiceUnavailableError while the process shuts down
   */
  start(request: ExchangeRequest): Promise<StartedReply> {
    const { userId } = request.sender;
    return this.starter.start(
      request.repeatable,
      (cut) => this.begin(cut === null ? request : again(request, cut)),
      ({ chatId, messageId }) => this.find(userId, chatId, messageId),
    );
  }

  /**
   * Checks quotas before an entry point fetches or decodes files, so that `start` does not refuse the request after
   * that work. A repeated request always passes.
   *
   * @throws QuotaExceededError, TooManyConcurrentError, StorageQuotaExceededError, IdempotencyConflictError,
   * ServiceUnavailableError if the disk has no space for files
   */
  async requireQuota({ sender, repeatable }: Pick<ExchangeRequest, 'sender' | 'repeatable'>): Promise<void> {
    if (await this.starter.requireQuota(sender, repeatable)) {
      await this.files.requireStorage(sender);
    }
  }

  /**
   * Retries until the exchange has started. It waits once for a busy conversation, and counts the tokens of a message
   * that seems too long.
   */
  private async begin(request: ExchangeRequest): Promise<BegunReply> {
    const subject = request.subject.kind === 'shown' ? await this.reader.findSubject(request) : request.subject;
    const turns = await this.turnsOf(request, subject);
    const checks = this.guards.isAny ? await this.requireAllowed(request, subject, turns) : null;
    // Files are stored before the transaction, which must not wait for them.
    const begun =
      turns.length === 0
        ? await this.beginTurns(request, subject, [])
        : await this.files.keep(request.sender, turns, subject.kind === 'turns', (stored) =>
            this.beginTurns(request, subject, stored),
          );
    checks?.moveTo(begun.reply.guardChecks);
    return begun;
  }

  /** Guards check new input before anything is stored. @throws ContentBlockedError, GuardUnavailableError */
  private async requireAllowed(
    request: ExchangeRequest,
    subject: StoredSubject,
    turns: readonly Turn[],
  ): Promise<CheckLog> {
    const { agent, chat } = await this.sent.findFree(request, subject);
    if (subject.kind !== 'regenerate' && request.options?.compaction !== 'only') {
      // A guard may cost money. Other replies need no message of the quota.
      await this.starter.requireQuota(request.sender);
    }
    const isText = turns.length === 0 && 'content' in subject;
    return this.guard.requireAllowed(request.sender, {
      agent,
      chatId: chat.id === 0 ? null : chat.id,
      language: request.language ?? chat.language,
      turns: isText ? [{ role: 'user', content: subject.content, parts: null }] : turns,
      instructions: [chat.customInstructions, request.options?.instructions ?? null],
    });
  }

  /**
   * A client's turns, or the message with its files. Empty for a message with only text, which needs nothing stored
   * before the transaction.
   */
  private async turnsOf(request: ExchangeRequest, subject: StoredSubject): Promise<readonly Turn[]> {
    if ('parts' in subject && subject.parts !== null) {
      return [await this.sent.read(request, subject, subject.parts)];
    }
    return subject.kind === 'turns' ? subject.turns : [];
  }

  private async beginTurns(
    request: ExchangeRequest,
    subject: StoredSubject,
    turns: readonly StoredTurn[],
  ): Promise<BegunReply> {
    let tokenCounts = NO_COUNTS;
    const chatId = typeof request.chatId === 'number' ? request.chatId : null;
    await this.counts.prepare(request.sender.userId, chatId, subject, turns);
    for (let hasWaited = false, needsCounts = true; ;) {
      const tryBegin = await this.tryBegin(request, subject, turns, tokenCounts, needsCounts);
      if (tryBegin.kind === 'begun') {
        return tryBegin;
      }
      if (tryBegin.kind === 'uncounted') {
        // The count runs outside the transaction, which must not wait for it. Very few messages need it.
        tokenCounts = await this.prompt.count(tryBegin.texts);
      } else if (tryBegin.kind === 'unheld') {
        // Only once: the cache may be too small for all texts. The hold of the others is based on their bytes.
        needsCounts = false;
        await this.counts.count(tryBegin.texts);
      } else if (!hasWaited && (await this.stopper.waitUntilFree(tryBegin.error.messageId, request.endsUnread))) {
        hasWaited = true;
      } else {
        throw tryBegin.error;
      }
    }
  }

  /** The transaction that starts an exchange: read, plan, check the size, store. */
  private async tryBegin(
    request: ExchangeRequest,
    subject: StoredSubject,
    turns: readonly StoredTurn[],
    tokenCounts: TokenCounts,
    needsCounts: boolean,
  ): Promise<BeginResult> {
    try {
      const begin = async (manager: EntityManager): Promise<BeginResult> => {
        const plan = await this.plan(manager, request, subject, turns, tokenCounts);
        const { task, before, question } = plan;
        this.prompt.requireFeatures(task, [...before.map(({ parts }) => parts), question.parts ?? question.stored]);
        const isCut = task.options?.compaction === 'only';
        const texts = isCut ? [] : this.prompt.textsToCount(task, question.content);
        if (texts.length > 0) {
          return { kind: 'uncounted', texts };
        }
        const unheld = needsCounts ? await this.budget.uncounted(task) : [];
        if (unheld.length > 0) {
          return { kind: 'unheld', texts: unheld };
        }
        const waiting = plan.chat.waitingReplyId;
        if (waiting === null) {
          return { kind: 'begun', ...(await this.store(manager, plan, request)) };
        }
        // A new message declines the actions of a waiting reply. If the message is refused, the rollback keeps the
        // reply waiting.
        await this.waitingReplies.close(manager, waiting, 'declined');
        const replanned = await this.plan(manager, request, subject, turns, tokenCounts);
        return { kind: 'begun', ...(await this.store(manager, replanned, request)) };
      };
      return await repeatWhileLocked(() => this.replies.write(begin));
    } catch (error) {
      // An error, because the transaction must roll back if another instance takes the conversation first.
      if (error instanceof GenerationInProgressError) {
        return { kind: 'busy', error };
      }
      throw error;
    }
  }

  private async store(manager: EntityManager, planned: ExchangePlan, { sender }: ExchangeRequest): Promise<BegunReply> {
    const files = newSearchedFiles(planned);
    const plan =
      files.length === 0
        ? planned
        : withFileIds(planned, await this.chatFiles.add(manager, sender, planned.chat.id, files));
    const driver = this.drivers.driverFor(plan.task);
    return this.replies.begin(manager, this.place.exchangeOf(plan.facts), plan, driver);
  }

  private async plan(
    manager: EntityManager,
    request: ExchangeRequest,
    subject: StoredSubject,
    turns: readonly StoredTurn[],
    tokenCounts: TokenCounts,
  ): Promise<ExchangePlan> {
    const found = await this.reader.read(manager, request, subject, { lock: true });
    const options = optionsFor(request, subject, found);
    const isCut = options?.compaction === 'only';
    const tightening = combined(found.origin?.options?.tightening, request.tightening);
    const { sender, remote, fileSearch } = request;
    const { id, knowledge, hasFiles } = found.chat;
    const searches = hasFiles || turns.some(({ stored }) => stored?.some(({ type }) => type === 'searched_file'));
    const filesOf = searches ? id : undefined;
    const wish = { tightening, asked: options, remote, knowledge, filesOf, fileSearch };
    const offered = isCut ? null : await this.offer.of(found.agent, sender.userId, wish);
    return planExchange(request, subject, found, turns, tokenCounts, { options, tightening, offered });
  }

  /**
   * The reply of an earlier request with the same key.
   *
   * @throws ChatNotFoundError if the conversation was deleted after that request
   */
  private async find(userId: number, chatId: number, messageId: number | null): Promise<LiveReply> {
    await this.reader.readChat(this.database.manager, userId, chatId);
    const found = messageId === null ? null : await this.locator.find(messageId);
    if (found === null) {
      throw new MessageNotFoundError();
    }
    return found;
  }
}

/** The request as a regeneration: its messages are stored, but a crash ended its reply. */
function again(request: ExchangeRequest, { chatId, messageId }: RequestResult): ExchangeRequest {
  return { ...request, chatId, subject: { kind: 'regenerate', messageId: messageId ?? 0, isRepeated: true } };
}
