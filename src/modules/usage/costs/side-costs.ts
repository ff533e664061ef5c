import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { Amount } from '../../../common/money/amount';
import { tokenUsage } from '../../../common/token-usage';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, rowExists } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { updateRows } from '../../../database/statements/update';
import { TokenCounter } from '../../../integrations/llm/counting/token-counter';
import { toReplyUsage } from '../../../integrations/llm/port/called-model';
import { SideModels, type SideRequests } from '../../../integrations/llm/side-requests';
import { CostLedger, type SpentRequest, toPricedUsage, totalCost } from './cost-ledger';
import { SideRequestEntity } from './side-request.entity';

type Counted = Pick<SpentRequest, 'usage' | 'isEstimated'>;

/** A request for a title or a trial whose instance died. */
export interface AbandonedSideRequest {
  request: SideRequestEntity;
  /** Null if unknown, because the model has no price. */
  cost: Amount | null;
}

/** Records the costs of titles and trials, even after a crash. They do not count as messages or tokens of the user. */
@Injectable()
export class SideCosts {
  private readonly logger = new Logger(SideCosts.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly counter: TokenCounter,
    private readonly ledger: CostLedger,
    models: SideModels,
  ) {
    models.onRecord((asked) => this.record(asked));
    models.onRepeat((asked) => this.keep(asked));
  }

  private async record(side: SideRequests): Promise<void> {
    const costs = await this.ledger.price(await this.spentOf(side));
    await this.database.write(async (manager) => {
      if (await this.end(manager, side.openId)) {
        await this.ledger.record(manager, costs, side.cause, this.clock.now());
        await side.settle?.(manager, totalCost(costs));
      }
    });
  }

  /** Records the failed requests before a fallback, so that a crash does not lose their costs. */
  private async keep(side: SideRequests): Promise<boolean> {
    const spent = await this.spentOf(side);
    if (spent.length === 0) {
      return true;
    }
    const costs = await this.ledger.price(spent);
    try {
      await this.database.write(async (manager) => {
        const changes = { failedBefore: side.requests.length };
        if ((await updateRows(manager, SideRequestEntity, changes, { id: side.openId })) === 0) {
          throw new Error('Another instance has ended the request.');
        }
        await this.ledger.record(manager, costs, side.cause, this.clock.now());
        await side.spend?.(manager, totalCost(costs));
      });
    } catch (error) {
      if (!(await this.isWrittenDown(side))) {
        this.logger.warn(
          { error, kind: side.cause.kind },
          'No other model is asked: what was left could not be written down.',
        );
        return false;
      }
    }
    side.requests.forEach((request) => (request.isWritten = true));
    return true;
  }

  /** The commit may have succeeded even if its response was lost. */
  private async isWrittenDown({ openId: id, requests }: SideRequests): Promise<boolean> {
    const row = await findRow(this.database.manager, SideRequestEntity, { id }).catch(() => null);
    return row?.failedBefore === requests.length;
  }

  /** The requests that providers accepted and that the ledger does not have yet. */
  private async spentOf(side: SideRequests): Promise<SpentRequest[]> {
    const spent: SpentRequest[] = [];
    for (const [index, { called, at, isWritten }] of side.requests.entries()) {
      const { provider, model, answered } = called;
      const isAnswer = side.completion !== null && index === side.requests.length - 1;
      if (called.isTaken && !isWritten) {
        spent.push({
          kind: side.cause.kind,
          round: 1,
          attempt: index + 1,
          provider,
          model,
          modelAnswered: answered,
          ...(await this.count(side, index, isAnswer)),
          isCounted: false,
          isFailed: false,
          askedAt: at,
        });
      }
    }
    return spent;
  }

  /** Within `Database.write`: stores that a request is about to be made. @returns its id */
  begin(manager: EntityManager, request: Omit<SideRequestEntity, 'id' | 'failedBefore'>): Promise<number> {
    return insertRow(manager, SideRequestEntity, { ...request, failedBefore: 0 });
  }

  /** Whether a request has not ended yet. */
  isRunning(id: number): Promise<boolean> {
    return rowExists(this.database.manager, SideRequestEntity, { id });
  }

  /**
   * Within `Database.write`: records the prompt of a request whose instance died.
   *
   * @returns null if it is already recorded
   */
  async recordAbandoned(manager: EntityManager, id: number): Promise<AbandonedSideRequest | null> {
    const abandoned = await findRow(manager, SideRequestEntity, { id });
    if (abandoned === null || !(await this.end(manager, id))) {
      return null;
    }
    const { kind, provider, model, promptTokens, askedAt, failedBefore } = abandoned;
    const usage = toPricedUsage({ ...tokenUsage(promptTokens, 0), cached: 0, reasoning: 0 }, 0);
    const facts = { kind, provider, model, modelAnswered: null, round: 1, attempt: failedBefore + 1, askedAt };
    const costs = await this.ledger.price([{ ...facts, usage, isEstimated: true, isCounted: false, isFailed: false }]);
    await this.ledger.record(manager, costs, abandoned, this.clock.now());
    return { request: abandoned, cost: totalCost(costs) };
  }

  /**
   * Within `Database.write`: records the usage of a request.
   *
   * @param tokens of its prompt; null: an estimate of them was stored before
   * @returns its cost, or null if it was recorded already
   */
  async finish(
    manager: EntityManager,
    id: number,
    { tokens, model }: { tokens: number | null; model: string | null },
  ): Promise<{ cost: Amount | null } | null> {
    const open = await findRow(manager, SideRequestEntity, { id });
    if (open === null || !(await this.end(manager, id))) {
      return null;
    }
    const usage = toPricedUsage({ ...tokenUsage(tokens ?? open.promptTokens, 0), cached: 0, reasoning: 0 }, 0);
    const facts = { ...{ round: 1, attempt: 1 }, isCounted: false, isFailed: false, isEstimated: tokens === null };
    const { kind, provider, askedAt } = open;
    const request = { ...facts, kind, provider, model: open.model, modelAnswered: model, usage, askedAt };
    const costs = await this.ledger.price([request]);
    await this.ledger.record(manager, costs, open, this.clock.now());
    return { cost: totalCost(costs) };
  }

  /** Within `Database.write`: forgets a request that the provider has refused. */
  async drop(manager: EntityManager, id: number): Promise<boolean> {
    return this.end(manager, id);
  }

  /** False if another instance considered this one dead, recorded the request and settled it. */
  private async end(manager: EntityManager, id: number): Promise<boolean> {
    return (await deleteRows(manager, SideRequestEntity, { id })) > 0;
  }

  /**
   * The complete usage that the provider reported. Otherwise the part that it reported early, plus an estimate of the
   * rest.
   */
  private async count(
    { requests, messages, completion }: SideRequests,
    index: number,
    isAnswer: boolean,
  ): Promise<Counted> {
    const { usage: reported = null, images = 0 } = requests[index]?.called ?? {};
    const known = isAnswer ? completion?.usage : reported;
    if (known) {
      return { usage: toPricedUsage(toReplyUsage(known), images), isEstimated: !isAnswer };
    }
    const [prompt, answer] = await Promise.all([
      reported?.prompt_tokens ?? this.counter.countConversation([...messages]),
      isAnswer ? this.counter.count(completion?.text ?? '') : 0,
    ]);
    const usage = {
      ...tokenUsage(prompt, Math.max(answer, reported?.completion_tokens ?? 0)),
      cached: reported?.cached_tokens ?? 0,
      cacheWrite: reported?.cache_write_tokens ?? 0,
      reasoning: reported?.reasoning_tokens ?? 0,
    };
    return { usage: toPricedUsage(usage, images), isEstimated: true };
  }
}
