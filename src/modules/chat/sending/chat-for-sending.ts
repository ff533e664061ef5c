import type { EntityManager } from 'typeorm';
import type { UserSettings } from '../../user/user.api';

/** What sending needs to know of a conversation and its owner. */
export interface ChatForSending {
  id: number;
  agentId: number;
  /** Language tag that the conversation was created with. */
  language: string | null;
  isUntitled: boolean;
  messageCount: number;
  lineEndId: number | null;
  activeMessageId: number | null;
  customInstructions: string;
}

interface Row {
  agent_id: number;
  language: string | null;
  has_placeholder_title: number;
  message_count: number;
  line_end_id: number | null;
  active_message_id: number | null;
  settings: string;
}

const SELECT = `
  SELECT chat.agent_id, chat.language, chat.has_placeholder_title, chat.message_count, chat.line_end_id,
    chat.active_message_id, owner.settings
  FROM chats chat INNER JOIN users owner ON owner.id = chat.user_id
  WHERE chat.id = ? AND chat.user_id = ? AND chat.deleted_at IS NULL`;

/** Reads it in one statement; null when the user has no such conversation. */
export async function readChatForSending(
  manager: EntityManager,
  chatId: number,
  userId: number,
): Promise<ChatForSending | null> {
  const [row]: Row[] = await manager.query(SELECT, [chatId, userId]);
  return row === undefined
    ? null
    : {
        id: chatId,
        agentId: row.agent_id,
        language: row.language,
        isUntitled: Number(row.has_placeholder_title) === 1,
        messageCount: row.message_count,
        lineEndId: row.line_end_id,
        activeMessageId: row.active_message_id,
        customInstructions: (JSON.parse(row.settings) as UserSettings).custom_instructions ?? '',
      };
}
