import { computed, signal } from '@preact/signals';
import type { OwnBudgetDto } from 'chat-service-client';
import { api } from '../../../app/api';
import { leftOf, sumOf, thousandthsOf } from '../../../app/i18n/money';
import type { ChatEvents } from './chat-events';

/** Below this many thousandths of a budget the person is told. */
const FEW = 100;

/** What the person should know before the next message. */
export interface BudgetWarning {
  kind: 'low' | 'used_up' | 'shared_used_up';
  resetsAt: string | null;
}

/** What the person may still spend. It is read once; then the cost of each reply is taken off. */
export class BudgetState {
  private readonly budgets = signal<OwnBudgetDto[]>([]);

  /** The worst of what there is to tell; null: enough is left of everything, or there are no budgets. */
  readonly warning = computed(() => {
    const warnings = this.budgets.value.flatMap((budget) => warningOf(budget) ?? []);
    return warnings.find(({ kind }) => kind !== 'low') ?? warnings[0] ?? null;
  });

  constructor(private readonly events: ChatEvents) {
    events.subscribe((event) => {
      if (event.kind === 'budget') this.budgets.value = event.budgets;
    });
    void this.read();
  }

  /** When there is no answer, the last one stays. */
  async read(): Promise<void> {
    this.budgets.value = await api.usage.budget().catch(() => this.budgets.peek());
  }

  /** @param cost of a reply; absent or null where it is not known */
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
  return thousandthsOf(remaining, limit) < FEW ? { kind: 'low', resetsAt } : null;
}
