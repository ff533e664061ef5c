import type { JSX } from 'preact';
import { api } from '../../app/api';
import { type LookUp, NamedFilter } from '../table/named-filter';
import type { EntryProps } from '../table/table-filters';

const MAX_SUGGESTIONS = 8;

const USERS: LookUp = {
  find: async (words) => {
    const { items } = (await api.admin.users.list({ query: { q: words, size: MAX_SUGGESTIONS } })).data;
    return items.map(({ id, username }) => ({ value: String(id), label: username }));
  },
  name: async (id) => (await api.admin.users.read({ path: { id: Number(id) } })).data.username,
};

const KEYS: LookUp = {
  find: async (words) => {
    const { items } = (await api.admin.apiKeys.list({ query: { q: words, size: MAX_SUGGESTIONS } })).data;
    return items.map(({ id, name, last_four }) => ({ value: String(id), label: `${name} …${last_four}` }));
  },
  // The service can search for keys by name only.
  name: (id) => Promise.resolve(`#${id}`),
};

/** The user filter. */
export function userEntry(props: EntryProps): JSX.Element {
  return <NamedFilter {...props} lookUp={USERS} />;
}

/** The API key filter. Several keys may have the same name. */
export function keyEntry(props: EntryProps): JSX.Element {
  return <NamedFilter {...props} lookUp={KEYS} />;
}
