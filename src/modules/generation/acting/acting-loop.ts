import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { addAmounts, formatAmount, parseDecimal } from '../../../common/money/amount';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { Database } from '../../../database/database';
import { insertEntity, insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import type { GenerationResult } from '../../../integrations/llm/port/completion';
import type { ModelMessage } from '../../../integrations/llm/port/language-model-provider';
import type { Agent } from '../../agent/agent.api';
import { CostLedger, type PricedRequest, totalCost, UsageService } from '../../usage/usage.api';
import { ToolCallEntity } from '../actions/tool-call.entity';
import { CostMeter, UsageMeter } from '../ending/cost-meter';
import { withEarlier } from '../ending/reply-end.store';
import { ReplyBudget } from '../paying/reply-budget';
import type { Acting, GenerationOptions, GenerationTask } from '../reply/generation-task';
import { NOT_TIGHTENED, type PolicyOverrides } from '../reply/policy-overrides';
import { completedOutcome, type GenerationOutcome, waitingOutcome } from '../reply/reply-end';
import { retryWhileDatabaseIsAway } from '../reply/reply-failure';
import { ReplyLostError, type ReplyRounds } from '../reply/reply-rounds';
import type { RunningReply } from '../reply/running-reply';
import { ReplyFlusher } from '../running/reply-flusher';
import { calledEvent } from './acting.events';
import { type MadeCall, ProposedCalls } from './calling/proposed-calls';
import { startedStep, ToolCaller } from './calling/tool-caller';
import { SENTENCES } from './calling/tool-sentences';
import { ReplyRoundsEntity } from './reply-rounds.entity';
import { RoundStore } from './round.store';

const MOST_CALLS = 64;

const DEFAULT_MOST_ROUNDS = 16;

/** What a round stores in addition to the steps of its reply. */
interface WrittenRound {
  rounds: ReplyRounds;
  /** Usage of this round and all earlier ones. */
  earlier: ReplyTokenUsage;
  usage: ReplyTokenUsage;
  costs: readonly PricedRequest[];
  rows: Awaited<ReturnType<ProposedCalls['rowsOf']>>;
}

/**
 * Handles the tool calls of a round: stores the calls that the model requests, makes those that are allowed, and decides
 * whether the model is called again. docs/tool-call-states.md has the states of a call, docs/agents-that-act.md the
 * effect of a crash in each.
 */
@Injectable()
export class ActingLoop {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly proposed: ProposedCalls,
    private readonly caller: ToolCaller,
    private readonly rounds: RoundStore,
    private readonly flusher: ReplyFlusher,
    private readonly usage: UsageService,
    private readonly usageMeter: UsageMeter,
    private readonly costMeter: CostMeter,
    private readonly ledger: CostLedger,
    private readonly budget: ReplyBudget,
  ) {}

  /**
   * Continues a reply after a complete round.
   *
   * @returns how the reply ended, or that it waits. Null: call the model again
   * @throws ReplyLostError
   */
  async afterRound(reply: RunningReply, result: GenerationResult): Promise<GenerationOutcome | null> {
    const first = reply.rounds?.calls ?? 0;
    const { endsAtClientCall = false } = reply.task.acting ?? {};
    const calls = reply.toolCalls.slice(first).map((part, index) => ({ part, number: first + index }));
    const made = calls.filter(({ part }) => isMadeHere(reply.task, part.name));
    const isClients = endsAtClientCall && made.length < calls.length;
    // Calls of a truncated answer are not made, because the last one may be incomplete.
    if (
      made.length === 0 ||
      isClients ||
      result.finishReason === 'length' ||
      result.finishReason === 'content_filter'
    ) {
      return completedOutcome(result);
    }
    const isOver = await this.writeDown(reply, result, made);
    return this.proceed(reply, isOver);
  }

  /**
   * Makes the calls that are allowed. If the model also called functions of the client, the reply ends with those.
   *
   * @param isOver whether the model must not be called again in any case
   */
  async proceed(reply: RunningReply, isOver: boolean): Promise<GenerationOutcome | null> {
    const isWaiting = await this.caller.settle(reply);
    if (reply.abortReason !== null) {
      throw new Error('The reply was ended.');
    }
    if (isWaiting) {
      return waitingOutcome();
    }
    if (reply.toolCalls.some(({ state }) => state === undefined)) {
      return completedOutcome({ finishReason: 'tool_calls', model: null, usage: null });
    }
    const finishReason = (await retryWhileDatabaseIsAway(() => this.endOf(reply))) ?? (isOver ? 'tool_limit' : null);
    return finishReason === null ? null : completedOutcome({ finishReason, model: null, usage: null });
  }

  /**
   * Checks limits and holds budget before the model is called again.
   *
   * @throws QuotaExceededError, BudgetExceededError, ModelNotPricedError, ReplyLostError
   */
  async admit(reply: RunningReply, messages: readonly ModelMessage[]): Promise<void> {
    const { task, messageId } = reply;
    const at = this.clock.now();
    let isRepeated = false;
    await retryWhileDatabaseIsAway(() => this.budget.count(task, messages));
    reply.held = await retryWhileDatabaseIsAway(() =>
      this.budget.run(() =>
        this.database.write(async (manager) => {
          await this.rounds.hold(manager, reply, { askedAt: at });
          if (isRepeated) {
            // The previous COMMIT may have succeeded although its answer was lost.
            await this.budget.releaseRound(manager, messageId);
          }
          isRepeated = true;
          await this.usage.requireTokens(manager, task);
          return this.budget.holdRound(manager, { ...task, startedAt: at }, messageId, messages);
        }),
      ),
    );
  }

  /** Why the model is not called again after this round. Null: it is called again. */
  private async endOf({ messageId, rounds }: RunningReply): Promise<'action_expired' | 'tool_limit' | null> {
    const calls = (await this.rounds.calls(messageId)).filter(({ round }) => round === rounds?.round);
    // After an expired action no user waits for an answer, although calls without approval were made.
    if (await this.rounds.hasExpired(calls)) {
      return 'action_expired';
    }
    return calls.some(({ result }) => result === SENTENCES.limit) ? 'tool_limit' : null;
  }

  /** @returns whether a limit is reached */
  private async writeDown(reply: RunningReply, result: GenerationResult, made: readonly MadeCall[]): Promise<boolean> {
    const first = reply.rounds?.calls ?? 0;
    const { agent, acting } = reply.task;
    const outcome = completedOutcome(result);
    const own = await retryWhileDatabaseIsAway(() => this.usageMeter.ofReply(reply, outcome));
    const costs = await retryWhileDatabaseIsAway(async () =>
      this.ledger.price(reply.requests.length === 0 ? [] : await this.costMeter.of(reply, outcome, own)),
    );
    const all = [...reply.writtenCosts, ...costs];
    const cost = addAmounts(reply.rounds?.cost ?? 0n, totalCost(all));
    const mostCost = agent.maxCostPerRun === null ? null : parseDecimal(agent.maxCostPerRun);
    const round = (reply.rounds?.round ?? 0) + 1;
    // The search before the first round is none of them.
    const most = mostRounds(agent) + (acting?.knowledge?.isContext ? 1 : 0);
    const isOver = round >= most || (mostCost !== null && cost !== null && cost >= mostCost);
    const mostCalls = isOver ? 0 : (agent.maxCalls ?? MOST_CALLS) - first;
    // One call beyond the limit is stored, to show that there were more, however many the model requested.
    const written = made.slice(0, Math.max(0, mostCalls) + 1);
    const unwritten = made.slice(written.length);
    const rows = await retryWhileDatabaseIsAway(() => this.proposed.rowsOf(reply, written, { round, most: mostCalls }));
    await retryWhileDatabaseIsAway(() => this.flusher.written(reply));
    const stepCount = reply.steps?.length ?? 0;
    const calls = unwritten[0]?.number ?? reply.toolCalls.length;
    const rounds = { epoch: reply.rounds?.epoch ?? 1, round, calls, stepCount, cost };
    const counted = { ...own.usage, ...this.ledger.shown(all) };
    const earlier = withEarlier(counted, reply.earlier);
    let isRepeated = false;
    await retryWhileDatabaseIsAway(() =>
      this.database.write(async (manager) => {
        const at = this.clock.now();
        if (isRepeated && (await this.rounds.hasRound(manager, reply.messageId, rounds))) {
          return;
        }
        isRepeated = true;
        await this.storeRound(manager, reply, { rounds, earlier, usage: own.usage, costs, rows }, at);
      }),
    );
    reply.endRound(rounds, earlier);
    rows.forEach((row) => reply.addToolEvent(startedStep(row)));
    addLimitResults(reply, unwritten);
    return isOver || made.length > mostCalls;
  }

  /** Stores the round with its usage, costs and calls. */
  private async storeRound(
    manager: EntityManager,
    reply: RunningReply,
    { rounds, earlier, usage, costs, rows }: WrittenRound,
    at: Date,
  ): Promise<void> {
    await this.storeRun(manager, reply, rounds, at);
    const running = "id = ? AND status = 'streaming'";
    const { entity } = reply.origin.place;
    const changes = { tokenUsage: earlier, firstTokenMs: reply.firstTokenMs, updatedAt: at };
    if ((await updateRows(manager, entity, changes, running, [reply.messageId])) === 0) {
      throw new ReplyLostError(reply.messageId);
    }
    const { userId, apiKeyId } = reply.task;
    await this.usage.recordRound(manager, { userId, apiKeyId, usage, startedAt: at, at });
    await this.ledger.record(manager, costs, reply.spentFor, at);
    for (const row of rows) {
      const call = await insertEntity(manager, ToolCallEntity, row);
      if (call.state === 'waiting') {
        await this.rounds.ask(manager, call, 'approve');
      } else if (call.endedAt !== null) {
        await this.events.publish(manager, calledEvent(call));
      }
    }
    // Last, to lock shared budgets as briefly as possible.
    await this.budget.settle(manager, reply, { cost: totalCost(costs), isUncertain: false });
  }

  private async storeRun(
    manager: EntityManager,
    reply: RunningReply,
    { epoch, round, calls, stepCount, cost }: NonNullable<RunningReply['rounds']>,
    at: Date,
  ): Promise<void> {
    const state = { round, calls, stepCount, cost: formatAmount(cost), askedAt: null, updatedAt: at };
    if (reply.rounds !== null) {
      await this.rounds.hold(manager, reply);
      await updateRows(manager, ReplyRoundsEntity, state, { messageId: reply.messageId });
      return;
    }
    const { task, chatId, messageId } = reply;
    const { language, tier, tokensPerDay } = task;
    const { policies, rules, remote, knowledge }: Partial<Acting> & PolicyOverrides = task.acting ?? NOT_TIGHTENED;
    await insertRow(manager, ReplyRoundsEntity, {
      messageId,
      userId: task.userId,
      chatId,
      epoch,
      ...state,
      task: {
        language,
        tier,
        tokensPerDay,
        policies,
        ...(rules && { rules }),
        ...(remote && { remote: remote.servers }),
        ...(knowledge && { knowledge }),
      },
      createdAt: at,
    });
  }
}

/** Whether the service makes a call. Clients may have tools that their request does not list by name. */
function isMadeHere({ acting, options }: GenerationTask, name: string): boolean {
  const isClients = acting?.callers.includes(name) ?? false;
  return !isClients && (acting?.endsAtClientCall !== true || (options?.tools ?? []).some((tool) => tool.name === name));
}

/** Adds a result for calls over the limit that are not stored, because models require one result per call. */
function addLimitResults(reply: RunningReply, unwritten: readonly MadeCall[]): void {
  for (const { number: call } of unwritten) {
    reply.addToolEvent({ kind: 'tool_started', call, state: 'cancelled' });
    reply.addToolEvent({ kind: 'tool_result', call, content: SENTENCES.limit, is_error: true, state: 'cancelled' });
  }
}

/** The maximum number of rounds of one reply of the agent. */
export function mostRounds({ maxRounds }: Pick<Agent, 'maxRounds'>): number {
  return maxRounds ?? DEFAULT_MOST_ROUNDS;
}

/**
 * The options of the next round of a reply. After tool calls the model is no longer forced to call one. The last round
 * offers only the client's functions, because a model that keeps calling tools would never write an answer.
 */
export function roundOptions({ task, rounds }: Pick<RunningReply, 'task' | 'rounds'>): GenerationOptions | null {
  const { agent, acting, options } = task;
  if (options === null || rounds === null) {
    return options;
  }
  const later = unforced(options);
  return acting === undefined || rounds.round + 1 < mostRounds(agent)
    ? later
    : { ...later, tools: later.tools.filter(({ name }) => acting.callers.includes(name)) };
}

function unforced(options: GenerationOptions): GenerationOptions {
  const { toolChoice: choice, ...others } = options;
  if (choice === undefined || choice === 'auto' || choice === 'none') {
    return options;
  }
  return typeof choice === 'object' && 'allowed' in choice
    ? { ...others, toolChoice: { ...choice, mode: 'auto' } }
    : others;
}
