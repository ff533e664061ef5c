import { api } from '../../api';
import { isAdministrator } from '../../visit';
import { type Entry, type Group, matching, placeEntry } from './places';

/** Per type. The lists show the rest. */
const MAX_RESULTS = 5;

export interface Found {
  groups: Group[];
  /** Whether a search request failed. */
  isPartial: boolean;
}

/** Searches the user's own data and, for administrators, the data of all users. Nothing else is requested. */
export async function find(words: string): Promise<Found> {
  const isAdmin = isAdministrator();
  const searches: [Group['name'], Promise<Entry[]>][] = [
    ['chats', findChats(words)],
    ['agents', isAdmin ? findAgents(words) : findActiveAgents(words)],
    ...(isAdmin ? ([['people', findPeople(words)]] as [Group['name'], Promise<Entry[]>][]) : []),
    ['keys', isAdmin ? findKeys(words) : findOwnKeys(words)],
  ];
  const answers = await Promise.allSettled(searches.map(([, search]) => search));
  const groups = answers.flatMap((answer, index) => {
    const name = searches[index]?.[0];
    return answer.status === 'fulfilled' && name ? [{ name, entries: answer.value }] : [];
  });
  return { groups, isPartial: groups.length < searches.length };
}

async function findChats(q: string): Promise<Entry[]> {
  const chats = await api.chat.list({ query: { q, limit: MAX_RESULTS } });
  return chats.map(({ id, title, match }) =>
    placeEntry(`chat-${id}`, `/chat/${id}${match ? `?message=${match.message_id}` : ''}`, {
      label: title,
      note: match?.excerpt,
      icon: 'chat',
    }),
  );
}

async function findActiveAgents(words: string): Promise<Entry[]> {
  const agents = await api.agents.listActive();
  const entries = agents.map(({ id, name }) =>
    placeEntry(`agent-${id}`, `/chat?agent=${id}`, { label: name, icon: 'chat' }),
  );
  return matching(entries, words).slice(0, MAX_RESULTS);
}

async function findAgents(q: string): Promise<Entry[]> {
  const { data } = await api.agents.list({ query: { q, size: MAX_RESULTS } });
  return data.items.map(({ id, name }) =>
    placeEntry(`agent-${id}`, `/admin/agents/${id}`, { label: name, icon: 'chat' }),
  );
}

async function findPeople(q: string): Promise<Entry[]> {
  const { data } = await api.admin.users.list({ query: { q, size: MAX_RESULTS } });
  return data.items.map(({ id, username, email }) =>
    placeEntry(`user-${id}`, `/admin/users/${id}`, { label: username, note: email, icon: 'user' }),
  );
}

async function findOwnKeys(words: string): Promise<Entry[]> {
  const keys = await api.apiKeys.list({ query: { limit: 100 } });
  const entries = keys.map(({ id, name }) => placeEntry(`key-${id}`, '/account/keys', { label: name, icon: 'key' }));
  return matching(entries, words).slice(0, MAX_RESULTS);
}

async function findKeys(q: string): Promise<Entry[]> {
  const { data } = await api.admin.apiKeys.list({ query: { q, size: MAX_RESULTS } });
  return data.items.map(({ id, name }) =>
    placeEntry(`key-${id}`, `/admin/keys?q=${encodeURIComponent(q)}`, { label: name, icon: 'key' }),
  );
}
