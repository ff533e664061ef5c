import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../app/api';
import { formatAgo, formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { Button } from '../../components/button';
import { Page } from '../../components/page/page';
import { Empty, Show } from '../../components/states';
import { restoreChat } from './state/chat-actions';
import type { TrashedChat } from './state/types';
import { workspace } from './state/workspace';

const t = texts('chat');

const PAGE = 50;

/** Deleted chats, which can be restored for some time. */
export function Trash(): JSX.Element {
  const [limit, setLimit] = useState(PAGE);
  const loaded = useLoad(() => readTrash(limit), [limit]);
  const { events } = workspace();
  useEffect(
    () => events.subscribe(({ kind }) => kind !== 'quota' && kind !== 'budget' && loaded.reload()),
    [loaded.reload],
  );
  return (
    <Page title={t('trash')}>
      <p class="soft">{t('trash_note')}</p>
      <Show loaded={loaded}>
        {(chats) =>
          chats.length === 0 ? (
            <Empty icon="trash">
              <p>{t('trash_empty')}</p>
            </Empty>
          ) : (
            <>
              <ul class="trash">
                {chats.map((chat) => (
                  <TrashRow key={chat.id} chat={chat} />
                ))}
              </ul>
              {chats.length === limit && (
                <Button kind="quiet" busy={loaded.isLoading} onClick={() => setLimit(limit + PAGE)}>
                  {t('more_chats')}
                </Button>
              )}
            </>
          )
        }
      </Show>
    </Page>
  );
}

/** The service returns at most 100 chats per request. */
async function readTrash(limit: number): Promise<TrashedChat[]> {
  const chats: TrashedChat[] = [];
  while (chats.length < limit) {
    const page = await api.chat.listTrash({ query: { limit: PAGE, offset: chats.length } });
    chats.push(...page);
    if (page.length < PAGE) break;
  }
  return chats;
}

function TrashRow({ chat }: { chat: TrashedChat }): JSX.Element {
  const [isBusy, setIsBusy] = useState(false);
  const restore = async (): Promise<void> => {
    setIsBusy(true);
    await restoreChat(chat.id);
    setIsBusy(false);
  };
  return (
    <li class="card row spread">
      <div class="trash-text">
        <bdi>{chat.title}</bdi>
        <p class="soft" title={formatTime(chat.deleted_at)}>
          {t('deleted_when', { ago: formatAgo(chat.deleted_at), until: formatTime(chat.purge_at) })}
        </p>
      </div>
      <Button
        icon="undo"
        busy={isBusy}
        aria-label={t('restore_chat', { title: chat.title })}
        onClick={() => void restore()}
      >
        {t('restore')}
      </Button>
    </li>
  );
}
