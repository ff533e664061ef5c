import type { BudgetDto } from 'chat-service-client';

export const SCOPES = ['service', 'group', 'user', 'api_key', 'agent', 'membership_type'] as const;
export type Scope = BudgetDto['scope'];
