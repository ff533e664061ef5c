import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { Dialog } from '../../../components/dialog';
import { Form, TextField, textOf } from '../../../components/form/form';
import { lazy } from '../../../components/page/lazy';
import { changeChat } from '../state/chat-actions';
import type { Chat } from '../state/types';
import { workspace } from '../state/workspace';

const ShareDialog = lazy(async () => (await import('../share/share-dialog')).ShareDialog, 'share');

const t = texts('chat');
const shell = texts('shell');

export function askTitle(chat: Chat): void {
  workspace().changing.value = { chat, what: 'title' };
}

export function askTags(chat: Chat): void {
  workspace().changing.value = { chat, what: 'tags' };
}

export function showShares(chat: Chat): void {
  workspace().changing.value = { chat, what: 'shares' };
}

/** Renders the open dialog. Include it once per page. */
export function ChatDialogs(): JSX.Element | null {
  const { changing } = workspace();
  if (!changing.value) return null;
  const { chat, what } = changing.value;
  if (what === 'shares') return <ShareDialog />;
  const close = (): void => void (changing.value = null);
  const save = async (entries: FormData): Promise<void> => {
    await changeChat(chat.id, what === 'title' ? { title: textOf(entries, 'title') } : { tags: tagsOf(entries) });
    close();
  };
  return (
    <Dialog title={t(what === 'title' ? 'rename' : 'edit_tags')} onClose={close}>
      <Form action={shell('save')} onSubmit={save}>
        {what === 'title' ? (
          <TextField
            label={t('title')}
            name="title"
            defaultValue={chat.title}
            maxLength={200}
            required
            autofocus
            dir="auto"
          />
        ) : (
          <TextField
            label={t('tags')}
            name="tags"
            hint={t('tags_hint')}
            defaultValue={chat.tags.join(', ')}
            autofocus
            dir="auto"
          />
        )}
      </Form>
    </Dialog>
  );
}

function tagsOf(entries: FormData): string[] {
  const tags = textOf(entries, 'tags').split(/[,،、，]/);
  return [...new Set(tags.map((tag) => tag.trim()).filter(Boolean))];
}
