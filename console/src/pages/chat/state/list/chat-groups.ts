import type { Chat } from '../types';

/** The heading of a chat: a fixed name or a month. */
export type GroupName = 'pinned' | 'today' | 'yesterday' | 'last_7_days' | 'last_30_days' | { month: string };

export interface ChatGroup {
  name: GroupName;
  chats: Chat[];
}

const DAY = 86_400_000;

/** Groups pinned chats first, then by the day of the last change in the browser's time zone. */
export function groupChats(chats: Chat[], now: Date): ChatGroup[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const groups = new Map<string, ChatGroup>();
  for (const chat of chats.toSorted((one, other) => Number(other.is_pinned) - Number(one.is_pinned))) {
    const name = chat.is_pinned ? 'pinned' : dayGroup(chat, midnight);
    const key = typeof name === 'string' ? name : name.month;
    const group = groups.get(key);
    if (group) group.chats.push(chat);
    else groups.set(key, { name, chats: [chat] });
  }
  return [...groups.values()];
}

/** Local dates are slow to calculate, and each new page may add to thousands of chats. */
const known = new WeakMap<Chat, { midnight: number; name: GroupName }>();

function dayGroup(chat: Chat, midnight: number): GroupName {
  const kept = known.get(chat);
  if (kept?.midnight === midnight) return kept.name;
  const name = groupName(new Date(chat.updated_at), midnight);
  known.set(chat, { midnight, name });
  return name;
}

function groupName(changed: Date, midnight: number): GroupName {
  const time = changed.getTime();
  if (time >= midnight) return 'today';
  if (time >= midnight - DAY) return 'yesterday';
  if (time >= midnight - 7 * DAY) return 'last_7_days';
  if (time >= midnight - 30 * DAY) return 'last_30_days';
  return { month: `${changed.getFullYear()}-${String(changed.getMonth() + 1).padStart(2, '0')}` };
}
