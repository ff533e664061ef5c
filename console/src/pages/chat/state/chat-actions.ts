import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import type { Chat } from './types';
import { workspace } from './workspace';

const t = texts('chat');

type Change = Partial<Pick<Chat, 'title' | 'is_pinned' | 'is_archived' | 'tags' | 'knowledge'>>;

/** Changes a chat in the service and in all lists. */
export async function changeChat(id: number, change: Change): Promise<void> {
  const chat = await api.chat.update({ path: { chat_id: id }, body: change });
  workspace().events.publish({ kind: 'changed', chat });
}

export function pinChat({ id, is_pinned }: Chat): Promise<boolean> {
  return attempt(() => changeChat(id, { is_pinned: !is_pinned }));
}

export async function archiveChat({ id, is_archived }: Chat): Promise<void> {
  const isDone = await attempt(() => changeChat(id, { is_archived: !is_archived }));
  const undo = (): void => void attempt(() => changeChat(id, { is_archived }));
  if (isDone) toast(t(is_archived ? 'unarchived' : 'archived'), { undo });
}

/**
 * Moves a chat to the trash, from where it can be restored for some time.
 *
 * @param leave leaves the page of the chat, if it is open
 */
export async function deleteChat({ id }: Chat, leave: () => void): Promise<void> {
  const isDone = await attempt(() => api.chat.remove({ path: { chat_id: id } }));
  if (!isDone) return;
  workspace().events.publish({ kind: 'removed', chatId: id });
  leave();
  toast(t('deleted'), { undo: () => void restoreChat(id) });
}

export function restoreChat(id: number): Promise<boolean> {
  return attempt(async () => {
    const chat = await api.chat.restore({ path: { chat_id: id } });
    workspace().events.publish({ kind: 'changed', chat });
  });
}
