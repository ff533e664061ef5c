import { type Release, RELEASES, type Rows } from './releases';

/** Times in the driver's format. */
const instant = (secondsAgo: number): string =>
  new Date(Date.now() - secondsAgo * 1_000).toISOString().replace('T', ' ').replace('Z', '');

const AT = instant(60);
const LIVING = '11111111-1111-4111-8111-111111111111';
const DEAD = '22222222-2222-4222-8222-222222222222';

/** A conversation as the earlier version hid it, with its reply: the question has the previous id. */
function hidden(chatId: number, reply: Rows[string][number]): Rows {
  const id = reply.id as number;
  const common = { chat_id: chatId, position: 0, is_current: 1, created_at: AT, updated_at: AT };
  return {
    chats: [
      {
        id: chatId,
        user_id: 1,
        agent_id: 1,
        title: '',
        has_placeholder_title: 0,
        is_pinned: 0,
        is_archived: 0,
        tags: '[]',
        message_count: 2,
        line_end_id: id,
        last_reply_id: id,
        ...(reply.status === 'streaming' && { active_message_id: id }),
        created_at: AT,
        updated_at: AT,
        deleted_at: '1970-01-01 00:00:00.000',
      },
    ],
    chat_messages: [
      { ...common, id: id - 1, role: 'user', content: '', status: 'completed', token_count: 7, completed_at: AT },
      { ...common, parent_id: id - 1, role: 'assistant', token_count: 3, ...reply },
    ],
  };
}

function together(...all: Rows[]): Rows {
  const rows: Rows = {};
  for (const [table, added] of all.flatMap((one) => Object.entries(one))) {
    rows[table] = [...(rows[table] ?? []), ...added];
  }
  return rows;
}

/** The conversations in which replies to clients were stored, before they had their own table. */
export const HIDDEN_CONVERSATIONS: Release = {
  name: 'with hidden conversations',
  lastMigration: 'StoredMetadata1700000002200',
  rows: together(
    RELEASES[0]!.rows,
    hidden(100, {
      id: 102,
      content: 'Kept answer.',
      status: 'completed',
      finish_reason: 'stop',
      completed_at: AT,
      steps: 't12',
    }),
    hidden(110, { id: 112, content: 'Cut ans', status: 'streaming', owner_id: DEAD }),
    hidden(120, { id: 122, content: 'Still wri', status: 'streaming', owner_id: LIVING }),
    {
      chat_idempotency_keys: [
        {
          id: 50,
          user_id: 1,
          idempotency_key: 'kept',
          fingerprint: 'x',
          chat_id: 100,
          user_message_id: 101,
          message_id: 102,
          created_at: AT,
        },
      ],
      chat_reply_owners: [{ id: LIVING, seen_at: instant(-3_600) }],
    },
  ),
};
