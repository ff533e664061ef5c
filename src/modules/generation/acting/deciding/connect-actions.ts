import { Injectable, Logger } from '@nestjs/common';
import { DomainEvents } from '../../../../common/events/domain-events';
import { MINUTE_MILLISECONDS } from '../../../../common/time';
import { BackgroundWork } from '../../../../database/background-work';
import { Database } from '../../../../database/database';
import { findRows } from '../../../../database/statements/find';
import { keysetBatches } from '../../../../database/statements/keyset-batches';
import { ToolRegistry } from '../../../tool/tool.api';
import { ActionAlreadyDecidedError, ActionExpiredError, ActionNotFoundError } from '../acting.errors';
import { retryWhileDatabaseIsAway } from '../calling/retry-while-database-is-away';
import { ToolActionEntity } from '../tool-action.entity';
import { ToolDecisions } from '../tool-decisions';
import { ToolRunStore } from '../tool-run.store';
import type { ReadDecision } from './decision-rules';

/** Published where connections are stored, in that transaction. */
const CONNECTED = 'mcp.connected';

/** Somebody has given it up meanwhile, or its conversation has gone on. */
const OVER = [ActionAlreadyDecidedError, ActionExpiredError, ActionNotFoundError];

/** Goes on with calls that wait until their user has connected with the server. */
@Injectable()
export class ConnectActions {
  private readonly logger = new Logger(ConnectActions.name);

  constructor(
    private readonly database: Database,
    private readonly runs: ToolRunStore,
    private readonly decisions: ToolDecisions,
    private readonly registry: ToolRegistry,
    events: DomainEvents,
    background: BackgroundWork,
  ) {
    events.on(CONNECTED, ({ userId, data }) =>
      Promise.resolve(this.goOnAfterwards(userId ?? 0, (data as { label: string }).label)),
    );
    background.add({
      step: () => this.findConnected(),
      onError: (error) => this.logger.warn({ error }, 'Calls that wait for a connection could not be looked through.'),
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
  }

  /** Goes on with calls whose user has connected without that they heard of it: the process ended, or they began to wait just then. */
  async findConnected(): Promise<null> {
    const open = { kind: 'connect', state: 'open' } as const;
    // Somebody may have many calls that wait for the same.
    const asked = new Set<string>();
    for await (const actions of keysetBatches(this.database.manager, ToolActionEntity, open)) {
      for (const { action, call } of await this.runs.withCalls(actions)) {
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

  private goOnAfterwards(userId: number, label: string): void {
    this.database.onCommit(() => {
      this.connected(userId, label).catch((error: unknown) => {
        this.logger.error(
          { error, user_id: userId, server: label },
          'Calls that wait for a connection could not go on.',
        );
      });
    });
  }

  private async goOn(userId: number, messageId: number, decisions: readonly ReadDecision[]): Promise<void> {
    try {
      await retryWhileDatabaseIsAway(() => this.decisions.settle(userId, messageId, decisions));
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
