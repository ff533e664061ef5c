import { Injectable } from '@nestjs/common';
import { Database } from '../../../../database/database';
import { findRows } from '../../../../database/statements/find';
import { ActionAlreadyDecidedError, ActionExpiredError, ActionNotFoundError } from '../acting.errors';
import { ToolActionEntity } from '../tool-action.entity';
import { ToolDecisions } from '../tool-decisions';
import { ToolRunStore } from '../tool-run.store';
import type { ReadDecision } from './decision-rules';

/** Somebody has given it up meanwhile, or its conversation has gone on. */
const OVER = [ActionAlreadyDecidedError, ActionExpiredError, ActionNotFoundError];

/** Goes on with calls that wait until their user has connected with the server. */
@Injectable()
export class ConnectActions {
  constructor(
    private readonly database: Database,
    private readonly runs: ToolRunStore,
    private readonly decisions: ToolDecisions,
  ) {}

  /** The user has connected with the server with this label: all their calls that wait for it are made. */
  async connected(userId: number, label: string): Promise<void> {
    const open = { userId, kind: 'connect', state: 'open' } as const;
    const actions = await findRows(this.database.manager, ToolActionEntity, open, { order: { id: 'ASC' } });
    const waiting = (await this.runs.withCalls(actions)).filter(({ call }) => call.server === label);
    const byMessage = new Map<number, ReadDecision[]>();
    for (const { action, call } of waiting) {
      const { id } = action;
      const nothing = { arguments: null, answer: null, reason: null, text: null, remember: null };
      const decision = { id, decision: 'approve' as const, argumentsHash: call.argumentsHash, ...nothing };
      byMessage.set(call.messageId, [...(byMessage.get(call.messageId) ?? []), decision]);
    }
    for (const [messageId, decisions] of byMessage) {
      await this.goOn(userId, messageId, decisions);
    }
  }

  private async goOn(userId: number, messageId: number, decisions: readonly ReadDecision[]): Promise<void> {
    try {
      await this.decisions.settle(userId, messageId, decisions);
    } catch (error) {
      if (!OVER.some((Kind) => error instanceof Kind)) {
        throw error;
      }
      // One of them was given up meanwhile: the others go on all the same.
      for (const decision of decisions.length > 1 ? decisions : []) {
        await this.goOn(userId, messageId, [decision]);
      }
    }
  }
}
