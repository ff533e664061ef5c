import { ApiError } from '../errors/api-error';

export const BUDGET_SCOPES = ['service', 'group', 'user', 'api_key', 'agent', 'membership_type'] as const;

/** Whose spending the budget limits. */
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

const amount = (description: string, example: string): object => ({ type: 'string', description, example });

/** The budget that refuses a request. */
interface Exceeded {
  scope: BudgetScope;
  limit: string;
  spent: string;
  reserved: string;
  resets_at: string | null;
}

/** The possible cost of the request exceeds what is left of a budget. Nothing was stored, and no model was called. */
export class BudgetExceededError extends ApiError {
  static readonly status = 429;
  static readonly code = 'BUDGET_EXCEEDED';
  static readonly summary =
    'A budget cannot cover the maximum cost of this request; `details.scope` names its scope. Nothing was ' +
    'stored. Wait until `details.resets_at`, send less, or ask an administrator.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['scope', 'limit', 'spent', 'reserved', 'resets_at'],
    properties: {
      scope: { type: 'string', enum: BUDGET_SCOPES, description: 'Scope of the budget.' },
      limit: amount('Amount that may be spent until then.', '25'),
      spent: amount('Amount spent.', '24.87'),
      reserved: amount('Amount held by running requests.', '0.12'),
      resets_at: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'When the budget resets; null if never. Only a budget that resets has `retry_after`.',
        example: '2026-04-01T00:00:00.000Z',
      },
    },
  };

  static example(): BudgetExceededError {
    const resets_at = '2026-04-01T00:00:00.000Z';
    return new BudgetExceededError({ scope: 'user', limit: '25', spent: '24.87', reserved: '0.12', resets_at }, 52_200);
  }

  /** @param retryAfterSeconds absent if the budget never resets */
  constructor(details: Exceeded, retryAfterSeconds?: number) {
    super({ ...details }, { retryAfterSeconds });
  }

  override get messageKey(): string {
    return this.retryAfterSeconds === undefined ? 'messages.budget_exceeded_for_good' : super.messageKey;
  }
}
