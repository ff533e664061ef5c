import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import { ScopeRequiredError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { findRow, findRows, rowExists } from '../../../database/statements/find';
import type { RemoteSecrets } from '../../tool/tool.api';
import { OpenActions, type ShownAction } from '../actions/shown-action';
import { ToolActionEntity } from '../actions/tool-action.entity';
import type { ReadFrom } from '../reply/live-reply';
import { ReplyTables } from '../reply/reply-origin';
import type { StoredReply } from '../reply/reply-row';
import { ActionExpiredError, ActionNotFoundError, ApproverRequiredError, ArgumentsChangedError } from './acting.errors';
import { ToolApprovals } from './approvals/tool-approvals';
import { DECIDABLE } from './call-states';
import { CallResults } from './calling/call-results';
import { DecidedCalls } from './calling/decided-calls';
import { editedAction } from './deciding/action.audit';
import { approverGroup } from './deciding/approvers';
import {
  decisionChanges,
  DecisionReader,
  type DecisionRequest,
  editOfCall,
  isAbout,
  type ReadDecision,
  requireSame,
} from './deciding/decision-rules';
import { AnswerSeal } from './questions/answer-seal';
import { OpenQuestions } from './questions/open-questions';
import { ReplyResumer } from './reply-resumer';
import { RoundStore } from './round.store';

/**
 * Called in the transaction of a decision that continues the reply. `reply` is the reply as it was stored when it
 * waited.
 */
export type ResumeListener = (manager: EntityManager, reply: StoredReply) => Promise<void>;

/** Callbacks of a decision, and credentials that come with it. */
export interface DecisionHearing {
  /** Called within the transaction of every decision, even if the reply still waits. */
  decided?: ResumeListener;
  /** Called within the transaction when the reply continues, before the other listeners. */
  taken?: ResumeListener;
  /** Credentials for the MCP servers that the request of the reply named. */
  secrets?: RemoteSecrets | undefined;
}

/** The decided actions, and how much of the reply its readers already had. */
export interface Decided {
  shown: ShownAction[];
  messageId: number;
  from: ReadFrom;
}

/**
 * Whether the caller may decide the action. Users decide their own actions where they are the approver. Other approvers
 * decide the actions of other users, never with an API key or a device token.
 */
export function mayDecide(
  { userId, groupIds, userType, scopes }: Principal,
  { approver, userId: ownerId }: Pick<ToolActionEntity, 'approver' | 'userId'>,
): boolean {
  if (approver === 'user') {
    return userId === ownerId;
  }
  const groupId = approverGroup(approver);
  const isApprover = groupId === null ? userType === 'admin' : groupIds.includes(groupId);
  return isApprover && userId !== ownerId && scopes === null;
}

/** Stores decisions. Each action is decided once, even if several clients or instances try. */
@Injectable()
export class ToolDecisions {
  private readonly listeners: ResumeListener[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly reader: DecisionReader,
    private readonly seal: AnswerSeal,
    private readonly questions: OpenQuestions,
    private readonly places: ReplyTables,
    private readonly roundStore: RoundStore,
    private readonly actions: OpenActions,
    private readonly results: CallResults,
    private readonly decidedCalls: DecidedCalls,
    private readonly resumer: ReplyResumer,
    private readonly approvals: ToolApprovals,
    private readonly events: DomainEvents,
  ) {}

  /** @throws ActionNotFoundError when the caller may not see one of the actions */
  async find(principal: Principal, chatId: number, ids: readonly number[]): Promise<ShownAction[]> {
    const actions = await findRows(this.database.manager, ToolActionEntity, { id: In([...ids]), chatId });
    const byId = new Map((await this.actions.withCalls(actions)).map((shown) => [shown.action.id, shown]));
    return ids.map((id) => {
      const shown = byId.get(id);
      if (shown === undefined || !(shown.action.userId === principal.userId || mayDecide(principal, shown.action))) {
        throw new ActionNotFoundError();
      }
      return shown;
    });
  }

  /**
   * Stores decisions about calls of one reply, all or none, and continues the reply.
   *
   * @throws ActionNotFoundError, ApproverRequiredError, ActionExpiredError, ActionAlreadyDecidedError,
   *   ArgumentsChangedError, ValidationFailedError, ScopeRequiredError when an API key asks to remember the approval
   */
  async decide(
    principal: Principal,
    chatId: number,
    wishes: readonly DecisionRequest[],
    hearing: DecisionHearing = {},
  ): Promise<Decided> {
    const ids = wishes.map(({ id }) => id);
    const found = await this.find(principal, chatId, ids);
    const messageId = found[0]?.action.messageId ?? 0;
    // Only one reply is locked and continued here. Actions of another reply need a decision of their own.
    if (found.some(({ action }) => action.messageId !== messageId) || new Set(ids).size < ids.length) {
      throw new ActionNotFoundError();
    }
    const read: ReadDecision[] = [];
    for (const [index, shown] of found.entries()) {
      const wish = wishes[index] as DecisionRequest;
      if (!mayDecide(principal, shown.action)) {
        throw new ApproverRequiredError();
      }
      if (wish.remember !== null && principal.scopes !== null) {
        // A remembered approval would apply to all clients of the user and outlive the key or the device.
        throw new ScopeRequiredError(null);
      }
      read.push(await this.reader.read(shown, wish));
    }
    return this.settle(principal.userId, messageId, read, hearing);
  }

  /** Stores decisions that were already validated and that this user may make. */
  async settle(
    userId: number,
    messageId: number,
    wishes: readonly ReadDecision[],
    hearing: DecisionHearing = {},
  ): Promise<Decided> {
    const { epoch, ...decided } = await this.database.write((manager) =>
      this.store(manager, userId, messageId, wishes, hearing),
    );
    decided.shown
      .filter(({ action }) => action.kind === 'input')
      .forEach(({ action }) => this.questions.wake(action.id));
    if (epoch === null) {
      this.decidedCalls.notify(messageId);
    } else {
      await this.resumer.start(messageId, epoch, hearing.secrets);
    }
    return decided;
  }

  /** Registers a listener for each reply that continues, called in the transaction of the decision. */
  onTaken(listener: ResumeListener): void {
    this.listeners.push(listener);
  }

  /** The stored decisions about these actions, to repeat the response. @throws ActionNotFoundError */
  async decided(principal: Principal, chatId: number, ids: readonly number[]): Promise<Decided> {
    const shown = await this.find(principal, chatId, ids);
    const { messageId = 0, shownText = 0, shownNews = null } = shown[0]?.action ?? {};
    return { shown, messageId, from: { offset: shownText ?? 0, news: shownNews } };
  }

  private async store(
    manager: EntityManager,
    userId: number,
    messageId: number,
    wishes: readonly ReadDecision[],
    { decided, taken }: DecisionHearing,
  ): Promise<Decided & { epoch: number | null }> {
    const rounds = await this.roundStore.lock(manager, messageId);
    const found = await this.places.find(messageId);
    if (rounds === null || found === null) {
      throw new ActionNotFoundError();
    }
    const { place, row } = found;
    const shownBefore = { shownText: row.content.length, shownNews: countNews(row.steps ?? '') };
    const shown: ShownAction[] = [];
    let isNew = false;
    for (const wish of wishes) {
      const one = await this.lockAction(manager, wish.id);
      isNew = (await this.storeOne(manager, userId, one, wish, shownBefore)) || isNew;
      shown.push(one);
    }
    const epoch = isNew ? await this.resumer.take(manager, rounds, row, place) : null;
    await decided?.(manager, row);
    if (epoch !== null) {
      for (const listener of [...(taken === undefined ? [] : [taken]), ...this.listeners]) {
        await listener(manager, row);
      }
    }
    const { shownText, shownNews } = shown[0]?.action ?? shownBefore;
    return { shown, messageId, from: { offset: shownText ?? 0, news: shownNews }, epoch };
  }

  private async lockAction(manager: EntityManager, id: number): Promise<ShownAction> {
    const action = await findRow(manager, ToolActionEntity, { id }, { lock: 'wait' });
    const [shown] = action === null ? [] : await this.actions.withCalls([action], manager);
    if (shown === undefined) {
      throw new ActionNotFoundError();
    }
    return shown;
  }

  /** @returns false when the same decision was stored before */
  private async storeOne(
    manager: EntityManager,
    userId: number,
    shown: ShownAction,
    wish: ReadDecision,
    shownBefore: Pick<ToolActionEntity, 'shownText' | 'shownNews'>,
  ): Promise<boolean> {
    if (shown.action.state !== 'open') {
      requireSame(shown.action, wish, this.seal.isSame(shown.action, wish.answer));
      return false;
    }
    const at = this.clock.now();
    if (shown.action.expiresAt !== null && shown.action.expiresAt <= at) {
      throw new ActionExpiredError();
    }
    if (wish.decision !== 'deny' && !isAbout(wish, shown.call)) {
      throw new ArgumentsChangedError();
    }
    const { decision, arguments: edited, reason, text } = wish;
    await this.roundStore.close(manager, shown, {
      state: 'decided' as const,
      decision,
      decidedBy: userId,
      decidedAt: at,
      edited,
      reason,
      text,
      ...shownBefore,
      ...this.seal.seal(wish.answer),
    });
    const others = { callId: shown.call.id, state: 'open' } as const;
    const isLast = !(await rowExists(manager, ToolActionEntity, others));
    const isUncertain = decision === 'deny' && (await this.results.mayHaveHappened(manager, shown.call));
    const change = decisionChanges(shown, wish, at, { isLast, isUncertain });
    if (edited !== null) {
      await this.events.publish(manager, editedAction(shown.action.id, shown.call, edited));
    }
    if (change !== null) {
      const changes = { ...change.changes, ...(edited !== null && editOfCall(shown.call, edited)) };
      await this.roundStore.apply(manager, shown.call, change.event, changes, DECIDABLE);
    }
    if (wish.remember !== null) {
      await this.approvals.remember(manager, shown.call, wish.remember);
    }
    return true;
  }
}

/** Number of calls and results in the stored form of steps. */
function countNews(steps: string): number {
  return steps.match(/(?<=^|,)[do]\d/g)?.length ?? 0;
}
