import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { type Amount, parseDecimal } from '../../../common/money/amount';
import { Database } from '../../../database/database';
import { findPage, findRow } from '../../../database/statements/find';
import { CostLedger } from '../../usage/usage.api';
import { BudgetNotFoundError } from '../budget.errors';
import { SHARED } from '../windows/budget-window.entity';
import { BudgetWindows } from '../windows/budget-windows';
import { toStored } from '../windows/window-amounts';
import { BudgetDto, DeletedBudgetDto, ListBudgetsQueryDto, toBudgetDto, type UsedUpDto } from './budget.dto';
import { BudgetEntity } from './budget.entity';
import { BudgetStore } from './budget.store';
import type { CreateBudgetDto, UpdateBudgetDto } from './budget-body.dto';
import { BudgetScopes } from './budget-scopes';

const THRESHOLDS = [50, 80, 100];

/** Administrators' operations on budgets. */
@Injectable()
export class BudgetAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly store: BudgetStore,
    private readonly scopes: BudgetScopes,
    private readonly windows: BudgetWindows,
    private readonly ledger: CostLedger,
  ) {}

  async find(query: ListBudgetsQueryDto): Promise<Page<BudgetDto>> {
    const { scope } = query;
    const { items, total } = await findPage(this.database.manager, BudgetEntity, scope === undefined ? {} : { scope }, {
      order: { id: 'ASC' },
      ...partOf(query),
    });
    const names = await this.scopes.namesOf(items);
    const usedUp = await this.windows.usedUp(items, this.clock.now());
    return toPage(await Promise.all(items.map((budget) => this.describe(budget, names, usedUp))), total, query);
  }

  /** @throws BudgetNotFoundError */
  async get(id: number): Promise<BudgetDto> {
    const budget = await findRow(this.database.manager, BudgetEntity, { id });
    if (budget === null) {
      throw new BudgetNotFoundError();
    }
    return this.describe(budget);
  }

  /** @throws ValidationFailedError when the scope's subject does not exist */
  async create(body: CreateBudgetDto): Promise<BudgetDto> {
    const { name, scope, scope_id, each_user, window, limit, mode, thresholds, starts_at, note } = body;
    const columns = await this.scopes.read(scope, scope_id);
    const budget = await this.database.write((manager) => {
      const now = this.clock.now();
      const startsAt = starts_at === undefined ? now : new Date(starts_at);
      return this.store.add(manager, {
        name: name ?? null,
        scope,
        ...columns,
        eachUser: each_user ?? false,
        window,
        ...limitColumns(limit),
        mode: mode ?? 'hard',
        thresholds: ascending(thresholds ?? THRESHOLDS),
        startsAt,
        countedFrom: startsAt,
        note: note ?? null,
        createdAt: now,
        updatedAt: now,
      });
    });
    if (!budget.eachUser) {
      await this.windows.open([{ budget, userId: SHARED, at: budget.createdAt }]);
    }
    return this.describe(budget);
  }

  /** @throws BudgetNotFoundError */
  async update(id: number, { name, limit, mode, thresholds, note }: UpdateBudgetDto): Promise<BudgetDto> {
    const changes = {
      ...(limit !== undefined && limitColumns(limit)),
      ...(mode !== undefined && { mode }),
      ...(thresholds !== undefined && { thresholds: ascending(thresholds) }),
      ...(name !== undefined && { name }),
      ...(note !== undefined && { note }),
    };
    return this.describe(await this.database.write((manager) => this.store.change(manager, id, changes)));
  }

  /** @throws BudgetNotFoundError */
  async reset(id: number): Promise<BudgetDto> {
    return this.describe(await this.database.write((manager) => this.store.reset(manager, id)));
  }

  /** @throws BudgetNotFoundError */
  async remove(id: number): Promise<DeletedBudgetDto> {
    await this.database.write((manager) => this.store.remove(manager, id));
    return { id, deleted: true };
  }

  private async describe(
    budget: BudgetEntity,
    names?: ReadonlyMap<number, string>,
    users?: ReadonlyMap<number, UsedUpDto[]>,
  ): Promise<BudgetDto> {
    const now = this.clock.now();
    const usedUp = users ?? (await this.windows.usedUp([budget], now));
    return toBudgetDto(budget, {
      scopeName: (names ?? (await this.scopes.namesOf([budget]))).get(budget.id) ?? null,
      currency: this.ledger.currency,
      use: await this.windows.useOf(budget, now),
      usedUp: usedUp.get(budget.id) ?? [],
      bounds: this.windows.boundsOf(budget, now),
    });
  }
}

function limitColumns(limit: string): Pick<BudgetEntity, 'limitUnits' | 'limitPicos'> {
  const { units, picos } = toStored(parseDecimal(limit) as Amount);
  return { limitUnits: units, limitPicos: picos };
}

function ascending(percents: readonly number[]): number[] {
  return [...percents].sort((one, other) => one - other);
}
