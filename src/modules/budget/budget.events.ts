import { type DataOf, defineEvent } from '../../common/events/event-definition';
import {
  choice,
  fact,
  instant,
  integer,
  optionalInstant,
  optionalInteger,
  optionalText,
  text,
} from '../../common/events/event-fields';
import { BUDGET_SCOPES } from '../../common/money/spending.errors';
import { BUDGET_WINDOWS } from './windows/calendar-window';

const window = {
  budget_id: fact(integer('Id of the budget.')),
  scope: fact(choice(BUDGET_SCOPES, 'Whose spending the budget counts.')),
  scope_id: fact(optionalInteger('Id of the group, user, API key or agent.')),
  membership_type: fact(optionalText('Name of the plan, for the scope `membership_type`.')),
  user_id: fact(optionalInteger('Id of the user, if each user has the whole limit.')),
  window: fact(choice(BUDGET_WINDOWS, 'Length of the window.')),
  window_start: fact(instant('When the window started.')),
  resets_at: fact(optionalInstant('When the next window starts; null if never.')),
  limit: fact(text('The amount that is allowed.')),
  spent: fact(text('Amount spent.')),
};

const example = {
  budget_id: 3,
  scope: 'user' as const,
  scope_id: 7,
  membership_type: null,
  user_id: null,
  window: 'month' as const,
  window_start: '2026-03-01T00:00:00.000Z',
  resets_at: '2026-04-01T00:00:00.000Z',
  limit: '25',
  spent: '20.004',
};

export type BudgetWindowData = DataOf<typeof window>;

/** Spending has passed a threshold of a budget. Published at most once per window and threshold. */
export const budgetThreshold = defineEvent('budget.threshold', {
  description: 'A budget reached an alert threshold; sent once per window and threshold.',
  fields: { ...window, threshold: fact(integer('Percentage of the limit.')) },
  example: { ...example, threshold: 80 },
});

/** A budget refused a request, or its limit is exceeded. Published at most once per window. */
export const budgetExceeded = defineEvent('budget.exceeded', {
  description: 'A budget refused a request or exceeded its limit; sent once per window.',
  fields: window,
  example: { ...example, spent: '24.9' },
});

export const BUDGET_EVENTS = [budgetThreshold, budgetExceeded];
