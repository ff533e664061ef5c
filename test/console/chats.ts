import type { Chat, Message } from '../../console/src/pages/chat/state/types';

/** A chat as the service lists it; higher numbers are newer. */
export function chatOf(id: number, members: Partial<Chat> = {}): Chat {
  const time = new Date(Date.UTC(2026, 0, 1, 0, 0, id)).toISOString();
  return {
    id,
    title: `Chat ${id}`,
    agent: null,
    is_pinned: false,
    is_archived: false,
    tags: [],
    message_count: 0,
    created_at: time,
    updated_at: time,
    last_message_at: null,
    active_message_id: null,
    ...members,
  } as Chat;
}

/** A message in chat 1, on the current branch. */
export function messageOf(
  id: number,
  role: Message['role'],
  parentId: number | null,
  members: Partial<Message> = {},
): Message {
  const time = new Date(Date.UTC(2026, 0, 1, 0, 0, id)).toISOString();
  return {
    id,
    chat_id: 1,
    role,
    content: `${role} ${id}`,
    parts: null,
    status: 'completed',
    finish_reason: null,
    parent_id: parentId,
    model: null,
    error: null,
    feedback: null,
    is_current: true,
    created_at: time,
    updated_at: time,
    completed_at: time,
    first_token_ms: null,
    duration_ms: null,
    ...members,
  };
}
