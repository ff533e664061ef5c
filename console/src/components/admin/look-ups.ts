import { api } from '../../app/api';
import type { LookUp } from '../table/named-filter';

/** Names that are offered at once. */
const MOST = 8;

/** Users by their names. */
export const USERS: LookUp = {
  find: async (words) => {
    const { items } = (await api.admin.users.list({ query: { q: words, size: MOST } })).data;
    return items.map(({ id, username }) => ({ value: String(id), label: username }));
  },
  name: async (id) => (await api.admin.users.read({ path: { id: Number(id) } })).data.username,
};

/** API keys by their names, which several may share. */
export const KEYS: LookUp = {
  find: async (words) => {
    const { items } = (await api.admin.apiKeys.list({ query: { q: words, size: MOST } })).data;
    return items.map(({ id, name, last_four }) => ({ value: String(id), label: `${name} …${last_four}` }));
  },
  // The service finds keys by name only.
  name: (id) => Promise.resolve(`#${id}`),
};
