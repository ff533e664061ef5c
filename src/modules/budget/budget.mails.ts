import { join } from 'node:path';
import { defineMail } from '../../integrations/mail/mail-definition';

const example = {
  id: 3,
  name: 'Marketing' as string | null,
  limit: '25',
  spent: '20.004',
  resetsAt: '2026-04-01T00:00:00.000Z' as string | null,
};

/** Spending has passed a threshold of a budget. */
export const BUDGET_THRESHOLD = defineMail('budget_threshold', {
  template: join(__dirname, 'mails/budget-threshold.hbs'),
  example: { ...example, percent: 80 },
});

/** A budget is used up. */
export const BUDGET_EXCEEDED = defineMail('budget_exceeded', {
  template: join(__dirname, 'mails/budget-exceeded.hbs'),
  example,
});
