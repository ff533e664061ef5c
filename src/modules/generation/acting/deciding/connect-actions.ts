import { Injectable, Logger } from '@nestjs/common';
import { DomainEvents } from '../../../../common/events/domain-events';
import { MINUTE_MILLISECONDS } from '../../../../common/time';
import { BackgroundWork } from '../../../../database/background-work';
import { Database } from '../../../../database/database';
import { findRows } from '../../../../database/statements/find';
import { keysetBatches } from '../../../../database/statements/keyset-batches';
import { ToolRegistry } from '../../../tool/tool.api';
import { OpenActions } from '../../actions/shown-action';
import { ToolActionEntity } from '../../actions/tool-action.entity';
import { retryWhileDatabaseIsAway } from '../../reply/reply-failure';
import { ActionAlreadyDecidedError, ActionExpiredError, ActionNotFoundError } from '../acting.errors';
import { ToolDecisions } from '../tool-decisions';
import type { ReadDecision } from './decision-rules';

/** The event that is published in the transaction that stores a connection. */
const CONNECTED = 'mcp.connected';

/** Errors when the action was abandoned, or its conversation has continued, in between. */
const OVER = [ActionAlreadyDecidedError, ActionExpiredError, ActionNotFoundError];

/** Continues calls that wait until their user has connected to the MCP server. */
@Injectable()
export class ConnectActions {
  private readonly logger = new Logger(ConnectActions.name);

  constructor(
    private readonly database: Database,
    private readonly actions: OpenActions,
    private readonly decisions: ToolDecisions,
    private readonly registry: ToolRegistry,
    events: DomainEvents,
    background: BackgroundWork,
  ) {
    events.on(CONNECTED, ({ userId, data }) =>
      Promise.resolve(this.continueAfterCommit(userId ?? 0, (data as { label: string }).label)),
    );
    background.add({
      step: () => this.findConnected(),
      onError: (error) => this.logger.warn({ error }, 'Calls that wait for a connection could not be looked through.'),
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
  }

  /**
   * Continues calls that missed the event of a connection: the process ended, or the call started to wait at that
   * moment.
   */
  async findConnected(): Promise<null> {
    const open = { kind: 'connect', state: 'open' } as const;
    // A user may have many calls that wait for the same connection.
    const asked = new Set<string>();
    for await (const actions of keysetBatches(this.database.manager, ToolActionEntity, open)) {
      for (const { action, call } of await this.actions.withCalls(actions)) {
        const { userId, question } = action;
        const scopes = question !== null && 'scopes' in question ? question.scopes : [];
        const key = JSON.stringify([userId, call.server, scopes]);
        if (call.server === null || asked.has(key)) continue;
        asked.add(key);
        if (await this.registry.isConnected(call.server, userId, scopes)) {
          await this.connected(userId, call.server);
        }
      }
    }
    return null;
  }

  /** Makes all calls of the user that wait for a connection to this MCP server. */
  async connected(userId: number, label: string): Promise<void> {
    const open = { userId, kind: 'connect', state: 'open' } as const;
    const actions = await findRows(this.database.manager, ToolActionEntity, open, { order: { id: 'ASC' } });
    const waiting = (await this.actions.withCalls(actions)).filter(({ call }) => call.server === label);
    const byMessage = new Map<number, ReadDecision[]>();
    for (const { action, call } of waiting) {
      const { id } = action;
      const nothing = { arguments: null, answer: null, reason: null, text: null, remember: null };
      const decision = { id, decision: 'approve' as const, argumentsHash: call.argumentsHash, ...nothing };
      byMessage.set(call.messageId, [...(byMessage.get(call.messageId) ?? []), decision]);
    }
    for (const [messageId, decisions] of byMessage) {
      await this.continueReply(userId, messageId, decisions);
    }
  }

  private continueAfterCommit(userId: number, label: string): void {
    this.database.onCommit(() => {
      this.connected(userId, label).catch((error: unknown) => {
        this.logger.error(
          { error, user_id: userId, server: label },
          'Calls that wait for a connection could not go on.',
        );
      });
    });
  }

  private async continueReply(userId: number, messageId: number, decisions: readonly ReadDecision[]): Promise<void> {
    try {
      await retryWhileDatabaseIsAway(() => this.decisions.settle(userId, messageId, decisions));
    } catch (error) {
      if (!OVER.some((Kind) => error instanceof Kind)) {
        throw error;
      }
      // One call was abandoned in between. The others still continue.
      for (const decision of decisions.length > 1 ? decisions : []) {
        await this.continueReply(userId, messageId, [decision]);
      }
    }
  }
}
