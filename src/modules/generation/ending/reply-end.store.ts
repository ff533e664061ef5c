import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { counter, histogram } from '../../../common/metrics/metrics';
import { addAmounts, formatAmount, parseDecimal } from '../../../common/money/amount';
import { addParts, addUsage, type ReplyTokenUsage } from '../../../common/token-usage';
import { utcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { GuardTraces } from '../../guard/guard.api';
import { CostLedger, totalCost, UsageService } from '../../usage/usage.api';
import { OpenActions } from '../actions/shown-action';
import { FailedReplies } from '../failures/failed-replies';
import { ReplyBudget } from '../paying/reply-budget';
import { ReplyPieces } from '../pieces/reply-pieces';
import type { GenerationOutcome, ReplyEnd } from '../reply/reply-end';
import type { Ended, EndedRow, Released, ReplyTable } from '../reply/reply-origin';
import type { ReplyStatus, StoredReply } from '../reply/reply-row';
import { storedSteps } from '../reply/reply-steps';
import type { RunningReply } from '../reply/running-reply';
import type { WrittenReply } from '../reply/written-reply';

/** The text and the reasoning that are stored. */
export type KeptTexts = Pick<WrittenReply, 'text' | 'reasoning'>;

/**
 * Stores the end of a reply, in the second transaction of an exchange, and reads it again. Methods with a manager run
 * within `Database.write`.
 */
@Injectable()
export class ReplyEndStore {
  constructor(
    private readonly clock: Clock,
    private readonly usage: UsageService,
    private readonly pieces: ReplyPieces,
    private readonly costs: CostLedger,
    private readonly database: Database,
    private readonly budget: ReplyBudget,
    private readonly actions: OpenActions,
    private readonly failures: FailedReplies,
    private readonly guards: GuardTraces,
  ) {}

  /**
   * Stores the end: first the reply, then its owner, then usage, then budgets. A locked conversation must not block the
   * user's counters. `Replies.begin` uses the same order, so that the two transactions do not deadlock; its comment names
   * the exception. If another process has already ended the reply, that end applies.
   */
  async store(
    manager: EntityManager,
    reply: RunningReply,
    outcome: GenerationOutcome,
    spent: Pick<Ended, 'usage' | 'costs'>,
    kept: KeptTexts,
  ): Promise<ReplyEnd> {
    const ended = { reply, outcome, ...spent, at: this.clock.now() };
    const { usage } = spent;
    const { origin, task } = reply;
    const cost = totalCost(spent.costs);
    await reply.driver.beforeEnd(manager, reply, outcome);
    const row = endedRow(ended, kept, origin.keepsSteps);
    const isStored = await origin.storeEnd(manager, ended, row);
    await this.removePieces(manager, reply);
    if (!isStored) {
      // The other process has settled the reply too, unless its row was erased.
      await this.budget.settleUnwritten(manager, reply, { cost, isUncertain: false });
      return readOthersEnd(manager, reply);
    }
    this.database.onCommit(() => countEnded(outcome.status, row));
    // A reply can wait and continue, so its checks are stored in several rows.
    const checks = reply.guardChecks.splice(0);
    if (checks.length > 0 && reply.chatId !== 0) {
      await this.guards.store(manager, reply.messageId, task.userId, checks);
    }
    const released = await origin.release(manager, ended, row);
    if (outcome.status !== 'requires_action') {
      await this.recordUsage(manager, ended);
    }
    if (outcome.status === 'failed') {
      await this.failures.record(manager, reply, outcome, ended.at);
    }
    await task.keepEnd?.(manager);
    await this.budget.settle(manager, reply, { cost, isUncertain: false });
    const { status, finishReason, failure } = outcome;
    const { title } = released;
    const waiting = status === 'requires_action' && { actions: await this.actions.ofReply(reply.messageId, manager) };
    return { status, finishReason, usage, failure, title, ...waiting, at: ended.at, ...factsOf(ended, released) };
  }

  /** Stores only the failure. The text stays as it was flushed; a long text is cut to its start. */
  async storeLeast(
    manager: EntityManager,
    reply: RunningReply,
    { failure }: GenerationOutcome,
    { text, reasoning }: KeptTexts,
  ): Promise<ReplyEnd> {
    const at = this.clock.now();
    const end = { status: 'failed', finishReason: 'error', failure } as const;
    const kept = reply.pieces > 0 ? { content: text, reasoning: reasoning === '' ? null : reasoning } : {};
    const row = { ...end, ...kept, ownerId: null, completedAt: at, updatedAt: at };
    const isStored = await reply.origin.storeLeast(manager, reply, row, at);
    await this.removePieces(manager, reply);
    if (isStored) {
      this.database.onCommit(() => countEnded('failed', { firstTokenMs: null, durationMs: null }));
      await this.failures.record(manager, reply, { failure, failedModel: null }, at);
    }
    await this.budget.settleUnwritten(manager, reply, { cost: null, isUncertain: true });
    return isStored ? { ...end, usage: null, title: null, at } : readOthersEnd(manager, reply);
  }

  /** The stored end of a reply. Null while it runs. */
  async endOf(place: ReplyTable, row: StoredReply): Promise<ReplyEnd | null> {
    const { status, finishReason, tokenUsage: usage, failure, completedAt, updatedAt } = row;
    if (status === 'streaming') {
      return null;
    }
    const title = await place.titleOf(row);
    const waiting = status === 'requires_action' && { actions: await this.actions.ofReply(row.id) };
    return { status, finishReason, usage, failure, title, ...waiting, at: completedAt ?? updatedAt };
  }

  /**
   * Ordinary replies have no pieces. A reply may continue right after the commit with new pieces, so its pieces are
   * removed now.
   */
  private async removePieces(manager: EntityManager, reply: RunningReply): Promise<void> {
    if (reply.hasRounds) {
      await this.pieces.removeNow(manager, reply.messageId);
    } else if (reply.isLongInRow || reply.mayHavePieces) {
      this.pieces.removeOnCommit(reply.messageId);
    }
  }

  private async recordUsage(manager: EntityManager, ended: Ended): Promise<void> {
    const { reply, outcome, usage, at } = ended;
    const { chatId, messageId, firstTokenMs, task } = reply;
    const { status, failedModel } = outcome;
    await this.usage.recordReply(manager, {
      userId: task.userId,
      apiKeyId: task.apiKeyId,
      chatId,
      messageId,
      agentId: task.agent.id,
      // A failed reply counts for the model that failed, so that the report by model shows it.
      model: usage.model ?? failedModel?.model ?? null,
      usage,
      recordedUsage: reply.earlier,
      status: status as Exclude<typeof status, 'requires_action'>,
      isCompaction: task.messages === 0,
      startedAt: task.startedAt,
      at,
      firstTokenMs,
      returnMessage: returnsMessage(ended),
    });
    await this.costs.record(manager, ended.costs, reply.spentFor, at);
  }
}

async function readOthersEnd(manager: EntityManager, { messageId, origin }: RunningReply): Promise<ReplyEnd> {
  const row = await manager.findOneBy(origin.place.entity, { id: messageId });
  return {
    status: row === null || row.status === 'streaming' ? 'interrupted' : row.status,
    finishReason: row?.finishReason ?? null,
    usage: row?.tokenUsage ?? null,
    failure: row?.failure ?? null,
    title: null,
  };
}

/** The usage of a reply including its earlier rounds. */
export function withEarlier(usage: ReplyTokenUsage, earlier: ReplyTokenUsage | null): ReplyTokenUsage {
  if (earlier === null) {
    return usage;
  }
  const currency = usage.currency ?? earlier.currency;
  const cost = addAmounts(amountOf(usage.cost), amountOf(earlier.cost));
  return {
    ...addUsage(usage, earlier),
    ...addParts(usage, earlier),
    isEstimated: usage.isEstimated || earlier.isEstimated,
    model: usage.model ?? earlier.model,
    ...(currency !== undefined && { cost: formatAmount(cost), currency }),
  };
}

function amountOf(cost: string | null | undefined): bigint | null {
  return typeof cost === 'string' ? parseDecimal(cost) : null;
}

function endedRow({ reply, outcome, usage, at }: Ended, { text, reasoning }: KeptTexts, keepsSteps: boolean): EndedRow {
  return {
    content: text,
    reasoning: reasoning === '' ? null : reasoning,
    parts: null,
    ...(keepsSteps && storedSteps(reply)),
    status: outcome.status,
    finishReason: outcome.finishReason,
    model: usage.model,
    tokenUsage: usage,
    failure: outcome.failure,
    ownerId: null,
    completedAt: outcome.status === 'requires_action' ? null : at,
    updatedAt: at,
    firstTokenMs: reply.firstTokenMs,
    durationMs: outcome.status === 'requires_action' ? null : durationOf(reply, at),
    trace: reply.storedRequests,
  };
}

function durationOf({ task }: WrittenReply, at: Date): number {
  return Math.max(0, at.getTime() - task.startedAt.getTime());
}

/** Whether the message is returned to the quota, because the reply has no text and the user did not stop it. */
function returnsMessage({ reply: { isEmpty, task }, outcome: { status } }: Ended): boolean {
  return (
    status !== 'completed' && status !== 'stopped' && status !== 'requires_action' && isEmpty && task.messages === 2
  );
}

/**
 * The same for the first reply to a message that a crash cut off. The message returns to the quota of its day, unless
 * that day is over.
 */
export function hasReturnedMessage(reply: StoredReply): boolean {
  const { status, content, parts, createdAt, completedAt } = reply;
  const isEmpty = content === '' && !(parts ?? []).some(({ type }) => type === 'tool_call');
  return status === 'interrupted' && isEmpty && utcDay(createdAt) === utcDay(completedAt ?? createdAt);
}

/** Facts that readers receive with the end, as far as no query is needed. */
function factsOf(ended: Ended, { messageCount }: Released): Pick<ReplyEnd, 'facts'> {
  const { reply, usage, at } = ended;
  const { begun, firstTokenMs, task } = reply;
  if (begun === null) {
    return {};
  }
  const { messages, tokens } = begun.quota;
  const quota = {
    messages: messages === null ? null : messages + (returnsMessage(ended) ? 1 : 0),
    tokens: tokens === null ? null : Math.max(0, tokens - usage.total),
  };
  const facts = {
    startedAt: task.startedAt,
    endedAt: at,
    firstTokenMs,
    durationMs: durationOf(reply, at),
    messageCount: messageCount ?? begun.messageCount,
    quota: utcDay(at) === utcDay(task.startedAt) ? quota : null,
  };
  return { facts };
}

const ended = counter('replies_ended_total', 'Replies that have ended, by how', ['outcome']);

const firstToken = histogram(
  'reply_first_token_seconds',
  'Time from the beginning of a reply to its first token of text or reasoning',
  [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
);

const duration = histogram(
  'reply_duration_seconds',
  'Time from the beginning of a reply to its end, by how it ended',
  [0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 300, 600],
  ['outcome'],
);

/**
 * Counts a reply whose end is stored. A waiting reply ends again later, and its first token is counted then. Times are
 * in milliseconds.
 */
function countEnded(
  outcome: Exclude<ReplyStatus, 'streaming'>,
  { firstTokenMs, durationMs }: { firstTokenMs: number | null; durationMs: number | null },
): void {
  ended.inc({ outcome });
  if (firstTokenMs !== null && outcome !== 'requires_action') {
    firstToken.observe(firstTokenMs / 1_000);
  }
  if (durationMs !== null) {
    duration.observe({ outcome }, durationMs / 1_000);
  }
}
