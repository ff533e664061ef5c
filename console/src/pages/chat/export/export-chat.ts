import type { SharedChatDto } from 'chat-service-client';
import { api, saveFile } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import type { Chat, Message } from '../state/types';
import { type Conversation, fileName, toJson, toMarkdown } from './conversation-file';

const t = texts('chat');

export type Format = 'markdown' | 'json';

const PAGE = 100;

/** Saves the complete current branch of the user's own chat. */
export async function exportChat({ id }: Pick<Chat, 'id'>, format: Format): Promise<void> {
  const path = { chat_id: id };
  const { title, agent, created_at, messages, has_more_messages } = await api.chat.read({ path });
  const all = has_more_messages ? await readAll(id) : messages;
  save({ title, agent: agent?.name ?? null, created_at, messages: all, isPartial: false }, format);
}

export function exportShared(
  { title, agent_name, created_at, messages, has_more_messages }: SharedChatDto,
  format: Format,
): void {
  save({ title, agent: agent_name, created_at, messages, isPartial: has_more_messages }, format);
}

async function readAll(chat_id: number): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const before = all[0]?.id;
    const query = { limit: PAGE, ...(before !== undefined && { before }) };
    const page = (await api.chat.listMessages({ path: { chat_id }, query })) as Message[];
    all.unshift(...page);
    // A page may have fewer messages than its limit, because its size is limited too.
    if (page.length === 0 || page[0]?.parent_id === null) return all;
  }
}

function save(conversation: Conversation, format: Format): void {
  const words = { user: t('you'), assistant: t('assistant'), system: t('instructions'), partial: t('export_partial') };
  if (format === 'json')
    saveFile(new Blob([toJson(conversation)], { type: 'application/json' }), fileName(conversation.title, 'json'));
  else
    saveFile(
      new Blob([toMarkdown(conversation, words)], { type: 'text/markdown' }),
      fileName(conversation.title, 'md'),
    );
}
