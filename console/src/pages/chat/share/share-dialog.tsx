import type { ShareDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { Form, Select, textOf } from '../../../components/form/form';
import { Secret } from '../../../components/secret';
import { Show } from '../../../components/states';
import { workspace } from '../state/workspace';

const t = texts('share');

const MODES = ['snapshot', 'live'] as const;

/** Lifetimes of a link in days; 0: until revoked. */
const DAYS = [0, 1, 7, 30];

/** Creates and revokes share links for the selected chat. */
export function ShareDialog(): JSX.Element | null {
  const { changing } = workspace();
  const chat = changing.value?.chat;
  const [link, setLink] = useState<string>();
  const path = { chat_id: chat?.id ?? 0 };
  const loaded = useLoad(async () => {
    const [{ sharing }, shares] = await Promise.all([
      api.shared.access(),
      api.chat.shares.list({ path, query: { limit: 100 } }),
    ]);
    return { sharing, shares };
  }, [path.chat_id]);
  if (!chat) return null;

  const make = async (entries: FormData): Promise<void> => {
    const days = Number(textOf(entries, 'expires_at'));
    const expires_at = days === 0 ? null : new Date(Date.now() + days * 86_400_000).toISOString();
    const mode = textOf(entries, 'mode') as ShareDto['mode'];
    setLink((await api.chat.shares.create({ path, body: { mode, expires_at } })).url);
    loaded.reload();
  };
  const takeBack = async (share: ShareDto): Promise<void> => {
    await attempt(async () => {
      await api.chat.shares.remove({ path: { ...path, share_id: share.id } });
      toast(t('taken_back'));
    });
    loaded.reload();
  };

  return (
    <Dialog title={t('title', { title: chat.title })} onClose={() => (changing.value = null)}>
      {link && <Secret key={link} label={t('link')} value={link} warning={t('once')} />}
      <Show loaded={loaded}>
        {({ sharing, shares }) => (
          <>
            <p class="soft">{t(`readers_${sharing}`)}</p>
            {!link && sharing !== 'off' && <NewLink onSubmit={make} />}
            <h3>{t('links')}</h3>
            <Links shares={shares} onTakeBack={takeBack} />
          </>
        )}
      </Show>
    </Dialog>
  );
}

function NewLink({ onSubmit }: { onSubmit: (entries: FormData) => Promise<void> }): JSX.Element {
  return (
    <Form action={t('make')} onSubmit={onSubmit}>
      <Select
        name="mode"
        label={t('mode')}
        value="snapshot"
        choices={MODES.map((value) => ({ value, label: t(`mode_${value}`) }))}
      />
      <Select
        name="expires_at"
        label={t('ends')}
        value="0"
        choices={DAYS.map((count) => ({
          value: String(count),
          label: count === 0 ? t('ends_never') : t('ends_days', { count }),
        }))}
      />
    </Form>
  );
}

function Links({
  shares,
  onTakeBack,
}: {
  shares: ShareDto[];
  onTakeBack: (share: ShareDto) => Promise<void>;
}): JSX.Element {
  if (shares.length === 0) return <p class="soft">{t('none')}</p>;
  return (
    <ul class="plain-list stack">
      {shares.map((share) => (
        <li key={share.id} class="row spread">
          <span>
            {t(share.mode === 'live' ? 'live_since' : 'snapshot_of', { time: formatTime(share.created_at) })}
            {share.expires_at && ` · ${t('until', { time: formatTime(share.expires_at) })}`}
          </span>
          <Button kind="danger" onClick={() => void onTakeBack(share)}>
            {t('take_back')}
          </Button>
        </li>
      ))}
    </ul>
  );
}
