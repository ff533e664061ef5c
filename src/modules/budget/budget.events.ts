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
  budget_id: fact(integer('The budget.')),
  scope: fact(choice(BUDGET_SCOPES, 'Whose spending it counts.')),
  scope_id: fact(optionalInteger('The group, user, API key or agent.')),
  membership_type: fact(optionalText('The plan, for the scope membership_type.')),
  user_id: fact(optionalInteger('Whose limit it is, where every user has the limit alone.')),
  window: fact(choice(BUDGET_WINDOWS, 'How long it lasts.')),
  window_start: fact(instant('When this window began.')),
  resets_at: fact(optionalInstant('When the next one begins; null: never.')),
  limit: fact(text('The limit.')),
  spent: fact(text('What was spent of it.')),
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
  description: 'So many percent of a budget are spent; sent once per window and threshold.',
  fields: { ...window, threshold: fact(integer('The percents.')) },
  example: { ...example, threshold: 80 },
});

/** A budget refused a request, or its limit is exceeded. Published at most once per window. */
export const budgetExceeded = defineEvent('budget.exceeded', {
  description: 'A budget refused a request, or more than its limit is spent; sent once per window.',
  fields: window,
  example: { ...example, spent: '24.9' },
});

export const BUDGET_EVENTS = [budgetThreshold, budgetExceeded];
