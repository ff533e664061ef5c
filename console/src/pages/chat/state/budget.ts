import { computed, type Signal, signal } from '@preact/signals';
import type { OwnBudgetDto } from 'chat-service-client';
import { api } from '../../../app/api';
import { leftOf, sumOf, thousandthsOf } from '../../../app/i18n/money';
import type { ChatEvents } from './chat-events';

const WARN_BELOW_THOUSANDTHS = 100;

/** A warning to show before the next message. */
export interface BudgetWarning {
  kind: 'low' | 'used_up' | 'shared_used_up';
  resetsAt: string | null;
}

/** The user's remaining budgets. They are read once, and the cost of each reply is then subtracted. */
export class BudgetState {
  private readonly budgets: Signal<OwnBudgetDto[]>;

  /** The most severe warning; null if enough is left of all budgets or there are none. */
  readonly warning = computed(() => {
    const warnings = this.budgets.value.flatMap((budget) => warningOf(budget) ?? []);
    return warnings.find(({ kind }) => kind !== 'low') ?? warnings[0] ?? null;
  });

  /** @param known budgets from the bootstrap response */
  constructor(
    private readonly events: ChatEvents,
    known?: OwnBudgetDto[],
  ) {
    this.budgets = signal(known ?? []);
    events.subscribe((event) => {
      if (event.kind === 'budget') this.budgets.value = event.budgets;
    });
    if (!known) void this.read();
  }

  /** If the request fails, the last value stays. */
  async read(): Promise<void> {
    this.budgets.value = await api.usage.budget().catch(() => this.budgets.peek());
  }

  /** @param cost cost of a reply; absent or null if unknown */
  spend(cost: string | null | undefined): void {
    const known = this.budgets.peek();
    if (known.length === 0 || !cost) return;
    if (known.some(({ resets_at }) => resets_at !== null && Date.parse(resets_at) <= Date.now())) {
      return void this.read();
    }
    this.events.publish({ kind: 'budget', budgets: known.map((budget) => afterSpending(budget, cost)) });
  }
}

function afterSpending(budget: OwnBudgetDto, cost: string): OwnBudgetDto {
  const { spent, remaining } = budget;
  if (spent === undefined || remaining === undefined) return budget;
  return { ...budget, spent: sumOf(spent, cost), remaining: leftOf(remaining, cost) };
}

function warningOf({ limit, remaining, exhausted, resets_at: resetsAt }: OwnBudgetDto): BudgetWarning | null {
  if (exhausted) return { kind: 'shared_used_up', resetsAt };
  if (limit === undefined || remaining === undefined) return null;
  if (remaining === '0') return { kind: 'used_up', resetsAt };
  return thousandthsOf(remaining, limit) < WARN_BELOW_THOUSANDTHS ? { kind: 'low', resetsAt } : null;
}
