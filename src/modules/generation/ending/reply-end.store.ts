import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { CostLedger, totalCost, UsageService } from '../../usage/usage.api';
import { RunGoesOnError, RunLostError } from '../acting/acting-run';
import { CallResults } from '../acting/calling/call-results';
import { ToolRunStore } from '../acting/tool-run.store';
import { FailedReplies } from '../failures/failed-replies';
import { ReplyBudget } from '../paying/reply-budget';
import { ReplyPieces } from '../pieces/reply-pieces';
import type { GenerationOutcome } from '../reply/generation-outcome';
import type { ReplyEnd } from '../reply/reply-end';
import type { ReplyPlace } from '../reply/reply-origin';
import type { StoredReply } from '../reply/reply-row';
import type { RunningReply } from '../reply/running-reply';
import type { Ended } from '../reply/written-reply';
import { endedRow, factsOf, type KeptTexts, returnsMessage } from './ended-reply';
import { countEnded } from './reply-metrics';

/**
 * The other transaction of an exchange: it stores the end of a reply, and reads that end again. Methods with a manager run
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
    private readonly runs: ToolRunStore,
    private readonly results: CallResults,
    private readonly failures: FailedReplies,
  ) {}

  /**
   * Stores the whole end: the reply first, then usage, then where it belongs, then budgets. What begins an exchange keeps the
   * same order, so the two transactions cannot deadlock. If another process has already ended the reply, its end counts.
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
    if (reply.run !== null) {
      await this.runs.hold(manager, reply);
      await this.closeCalls(manager, reply, outcome);
      if (origin.place.rebuildRun === undefined) {
        await this.runs.forget(manager, reply.messageId);
      }
    } else if (outcome.status === 'interrupted' && (await this.runs.lock(manager, reply.messageId)) !== null) {
      // An instance that was taken for dead has written down the first calls meanwhile.
      throw new RunLostError(reply.messageId);
    }
    const row = endedRow(ended, kept, origin.keepsSteps);
    const isStored = await origin.storeEnd(manager, ended, row);
    await this.removePieces(manager, reply);
    if (!isStored) {
      // Whoever has ended it has settled it too, but where its row was erased.
      await this.budget.settleUnwritten(manager, reply, { cost, isUncertain: false });
      return readOthersEnd(manager, reply);
    }
    this.database.onCommit(() => countEnded(outcome.status, row));
    if (outcome.status !== 'requires_action') {
      await this.recordUsage(manager, ended);
    }
    if (outcome.status === 'failed') {
      await this.failures.record(manager, reply, outcome, ended.at);
    }
    await task.keepEnd?.(manager);
    const released = await origin.release(manager, ended, row);
    await this.budget.settle(manager, reply, { cost, isUncertain: false });
    const { status, finishReason, failure } = outcome;
    const { title } = released;
    const waiting = status === 'requires_action' && { actions: await this.runs.openActions(reply.messageId, manager) };
    return { status, finishReason, usage, failure, title, ...waiting, at: ended.at, ...factsOf(ended, released) };
  }

  /** Stores only the failure. The text stays as the last flush stored it, its beginning when it is long. */
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

  /** The stored end of a reply; null while the reply runs. */
  async endOf(place: ReplyPlace, row: StoredReply): Promise<ReplyEnd | null> {
    const { status, finishReason, tokenUsage: usage, failure, completedAt, updatedAt } = row;
    if (status === 'streaming') {
      return null;
    }
    const title = await place.titleOf(row);
    const waiting = status === 'requires_action' && { actions: await this.runs.openActions(row.id) };
    return { status, finishReason, usage, failure, title, ...waiting, at: completedAt ?? updatedAt };
  }

  /** A run that has ended makes no more calls, and waits for nobody. @throws RunGoesOnError when one that is to wait need not */
  private async closeCalls(manager: EntityManager, reply: RunningReply, { status }: GenerationOutcome): Promise<void> {
    if (status === 'requires_action') {
      await this.requireWanted(manager, reply);
      await this.runs.requireWaiting(manager, reply.messageId);
    } else {
      const givenUp = await this.results.cancelOpen(manager, reply.messageId);
      const states = new Map(givenUp.map(({ number, state }) => [number, state]));
      const ended = new Set(reply.toolResults.map(({ id }) => id));
      for (const [number, call] of reply.toolCalls.entries()) {
        if (call.state !== undefined && !ended.has(call.id)) {
          call.state = states.get(number) ?? 'cancelled';
        }
      }
    }
  }

  /** A reply that somebody has stopped waits for nobody, wherever they did. @throws RunGoesOnError */
  private async requireWanted(manager: EntityManager, reply: RunningReply): Promise<void> {
    const where = { id: reply.messageId };
    const members = ['stopRequestedAt'] as const;
    const row = await findRow(manager, reply.origin.place.entity, where, { members, lock: 'wait' });
    if (row !== null && row.stopRequestedAt !== null) {
      reply.abort('stopped');
    }
    if (reply.abortReason === 'stopped') {
      throw new RunGoesOnError(reply.messageId);
    }
  }

  /** Ordinary replies have none. A run may go on right after the commit, with pieces of its own. */
  private async removePieces(manager: EntityManager, reply: RunningReply): Promise<void> {
    if (reply.run !== null) {
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
      // A failed reply counts for the model that failed, so that the report by model shows which one does.
      model: usage.model ?? failedModel?.model ?? null,
      usage,
      counted: reply.earlier,
      status: status as Exclude<typeof status, 'requires_action'>,
      isCompaction: task.messages === 0,
      startedAt: task.startedAt,
      at,
      firstTokenMs,
      returnMessage: returnsMessage(ended),
    });
    const { userId, apiKeyId, agent } = task;
    await this.costs.record(manager, ended.costs, { userId, apiKeyId, chatId, agentId: agent.id, messageId }, at);
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
