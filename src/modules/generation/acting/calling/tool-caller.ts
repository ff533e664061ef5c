import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../../common/clock';
import { ToolError } from '../../../../common/tools/tool.error';
import { Database } from '../../../../database/database';
import { AgentService } from '../../../agent/agent.api';
import { GroupMemberships } from '../../../group/group.api';
import {
  ConnectionNeededError,
  type RegisteredTool,
  type ToolAnswers,
  ToolRegistry,
  ToolRunner,
} from '../../../tool/tool.api';
import { UserDirectoryQuery } from '../../../user/user.api';
import type { RunningReply } from '../../reply/running-reply';
import { ToolApprovals } from '../approvals/tool-approvals';
import { CallQuestions } from '../asking/call-questions';
import { OpenQuestions } from '../asking/open-questions';
import { Approvers } from '../deciding/approvers';
import { callIdOf, isWaiting } from '../shown-action';
import type { ToolCallEntity } from '../tool-call.entity';
import { type AppliedPolicy, NOT_TIGHTENED, policyOf } from '../tool-policy';
import { ToolRunStore } from '../tool-run.store';
import { CallResults } from './call-results';
import { showEnded } from './show-ended';
import { surely } from './surely';
import { SENTENCES } from './tool-sentences';

/** Calls of one reply at once. */
const MOST_AT_ONCE = 8;

/** Makes the calls of a reply that may be made, and writes down what came of them. */
@Injectable()
export class ToolCaller {
  private readonly logger = new Logger(ToolCaller.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly runs: ToolRunStore,
    private readonly registry: ToolRegistry,
    private readonly runner: ToolRunner,
    private readonly agents: AgentService,
    private readonly users: UserDirectoryQuery,
    private readonly groups: GroupMemberships,
    private readonly approvals: ToolApprovals,
    private readonly approvers: Approvers,
    private readonly questions: CallQuestions,
    private readonly openQuestions: OpenQuestions,
    private readonly results: CallResults,
  ) {}

  /**
   * Makes all calls that may be made, those too that are approved meanwhile.
   *
   * @returns whether a call waits for a person
   * @throws RunLostError
   */
  async settle(reply: RunningReply): Promise<boolean> {
    for (;;) {
      const calls = await surely(() => this.runs.calls(reply.messageId));
      showEnded(reply, calls);
      const due = calls.filter(({ state }) => state === 'approved');
      if (due.length === 0 || reply.abortReason !== null) {
        return calls.some(isWaiting);
      }
      const queue = due.values();
      await Promise.all(Array.from({ length: MOST_AT_ONCE }, () => this.makeAll(reply, queue)));
    }
  }

  private async makeAll(reply: RunningReply, queue: IterableIterator<ToolCallEntity>): Promise<void> {
    for (const call of queue) {
      await this.make(reply, call);
    }
  }

  private async make(reply: RunningReply, call: ToolCallEntity): Promise<void> {
    const found = await surely(() => this.registry.find(call.name, call.userId, reply.task.acting?.remote));
    const tool = (found?.served?.label ?? null) === call.server ? found : undefined;
    const attempt = call.attempts + 1;
    if (!(await this.renew(reply, call, tool))) {
      return;
    }
    const begun = reply.abortReason === null && (await surely(() => this.begin(reply, call, tool, attempt)));
    if (!begun || tool === undefined) {
      return;
    }
    const startedAt = performance.now();
    const { userId, chatId, messageId } = call;
    const callId = callIdOf(call);
    const { talk, end } = this.openQuestions.talkOf(reply, call, begun.before);
    const context = { userId, chatId, messageId, callId, idempotencyKey: callId, talk };
    const outcome = await this.runner.run(tool, begun.input, context, reply.signal).finally(end);
    await this.results.store(reply, call, tool, outcome, Math.round(performance.now() - startedAt));
  }

  /** Written down before it is made, as far as it may still be made. Null: it is not made now. */
  private begin(
    reply: RunningReply,
    call: ToolCallEntity,
    tool: RegisteredTool | undefined,
    attempt: number,
  ): Promise<{ input: unknown; before: ToolAnswers | null } | null> {
    return this.database.write(async (manager) => {
      await this.runs.hold(manager, reply);
      if (tool?.served && !(await tool.served.holds(manager, call.pin ?? ''))) {
        await this.deny(manager, call, SENTENCES.changed);
        return null;
      }
      const standing = await this.standing(manager, reply, call, tool);
      if (standing.policy === 'deny') {
        await this.deny(manager, call, tool === undefined ? SENTENCES.gone : SENTENCES.denied);
        return null;
      }
      if (standing.policy === 'ask') {
        const asked = { state: 'waiting', policy: 'ask', approver: standing.approver } as const;
        if (await this.runs.change(manager, call, ['approved'], asked)) {
          await this.runs.ask(manager, call, 'approve');
        }
        return null;
      }
      const changes = { state: 'running', startedAt: this.clock.now(), attempts: attempt } as const;
      // The answer to an earlier COMMIT may be lost.
      const isMine =
        (await this.runs.change(manager, call, ['approved'], changes)) ||
        (await this.runs.hasBegun(manager, call, attempt));
      return isMine
        ? { input: await this.runs.inputOf(manager, call), before: await this.questions.before(manager, call) }
        : null;
    });
  }

  private async deny(manager: EntityManager, call: ToolCallEntity, result: string): Promise<void> {
    if (!(await this.results.askAgain(manager, call, 'approved'))) {
      await this.results.giveUp(manager, call, 'approved', { state: 'denied', result });
    }
  }

  /** Before a call whose server may have changed the tool. @returns whether it is made now */
  private async renew(reply: RunningReply, call: ToolCallEntity, tool: RegisteredTool | undefined): Promise<boolean> {
    try {
      await surely(async () => tool?.served?.renew());
      return true;
    } catch (error) {
      if (error instanceof ConnectionNeededError && tool !== undefined) {
        await this.results.wait(reply, call, tool, error);
        return false;
      }
      const isRefused = error instanceof ToolError;
      if (!isRefused) {
        this.logger.warn({ error, tool: call.name, message_id: call.messageId }, 'A tool could not be looked at.');
      }
      const ended = { state: isRefused ? 'denied' : 'cancelled', isError: true } as const;
      const sentence = isRefused ? error.message : SENTENCES.unreachable;
      await this.results.end(reply, call, ended, sentence, { from: 'approved', isMade: false });
      return false;
    }
  }

  /** What holds at this moment: the agent, its user, or who decided for them, may have changed since the call was proposed. */
  private async standing(
    manager: EntityManager,
    { task }: RunningReply,
    call: ToolCallEntity,
    tool: RegisteredTool | undefined,
  ): Promise<AppliedPolicy> {
    const denied: AppliedPolicy = { policy: 'deny', approver: 'user' };
    const { userId } = task;
    if (tool === undefined || (await this.users.withoutAccess([userId])).has(userId)) {
      return denied;
    }
    const user = { tier: await this.users.tierOf(userId), groupIds: await this.groups.groupIdsOf(userId, manager) };
    // Of the agent that proposed it: where it is gone, somebody else goes on with the reply.
    const tools = await this.agents.toolsFor(call.agentId, user);
    if (tools === null) {
      return denied;
    }
    // Who was asked about this call need not be asked again; who was not, has said it before.
    const isRemembered =
      call.policy === 'auto' && (await this.approvals.rememberedBy(call, manager)).has(tool.name, call.pin);
    const applied = policyOf(tools, tool, task.acting ?? NOT_TIGHTENED, isRemembered);
    const isSaid = call.policy === 'ask' && call.approver === applied.approver;
    const isAllowed = applied.policy === 'ask' && isSaid && (await this.approvers.stand(manager, call));
    return isAllowed ? { ...applied, policy: 'auto' } : applied;
  }
}
