import type { BudgetDto } from 'chat-service-client';
import { api } from '../../../app/api';

export const SCOPES = ['service', 'group', 'user', 'api_key', 'agent', 'membership_type'] as const;
export type Scope = BudgetDto['scope'];

/** Scopes that need a search by name, because they have many subjects. */
export type NamedScope = Exclude<Scope, 'service' | 'membership_type'>;

export interface Found {
  id: number;
  name: string;
}

const MOST_FOUND = 20;

/** Returns the subjects whose names contain the text; the first ones if it is empty. */
export async function findSubjects(scope: NamedScope, text: string): Promise<Found[]> {
  const query = { size: MOST_FOUND, ...(text && { q: text }) };
  switch (scope) {
    case 'user':
      return (await api.admin.users.list({ query })).data.items.map(({ id, username }) => ({ id, name: username }));
    case 'group':
      return (await api.admin.groups.list({ query })).data.items;
    case 'agent':
      return (await api.agents.list({ query })).data.items;
    case 'api_key':
      return (await api.admin.apiKeys.list({ query })).data.items;
  }
}
