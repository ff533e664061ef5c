import type { ApiKeyDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { KeyFormDialog } from '../../../components/api-keys/key-form';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { Page } from '../../../components/page/page';
import { Empty, Show } from '../../../components/states';
import { KeyCard } from './key-card';
import { KeyRotationDialog } from './key-rotation';
import { KeyUsageDialog } from './key-usage';

const t = texts('account');

/** The open dialog and its key. */
type Open = { kind: 'create' } | { kind: 'edit' | 'rotate' | 'usage'; key: ApiKeyDto };

/** The user's API keys. */
export function Keys(): JSX.Element {
  const loaded = useLoad(() => api.apiKeys.list({ query: { limit: 100 } }), []);
  const [open, setOpen] = useState<Open>();
  const close = (): void => {
    setOpen(undefined);
    loaded.reload();
  };
  const revoke = async (key: ApiKeyDto): Promise<void> => {
    const isWanted = await confirm({
      title: t('revoke_title', { name: key.name }),
      text: t('revoke_text'),
      action: t('revoke'),
      isDangerous: true,
    });
    if (!isWanted) return;
    await attempt(async () => toast((await api.apiKeys.revoke({ path: { id: key.id } })).message));
    loaded.reload();
  };

  const create = (
    <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'create' })}>
      {t('new_key')}
    </Button>
  );
  return (
    <Page title={t('keys')} actions={create}>
      <p class="soft">{t('keys_text')}</p>
      <Show loaded={loaded}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty>
              <p>{t('no_keys')}</p>
            </Empty>
          ) : (
            <ul class="plain-list stack">
              {keys.map((key) => (
                <KeyCard
                  key={key.id}
                  apiKey={key}
                  onUsage={() => setOpen({ kind: 'usage', key })}
                  onEdit={() => setOpen({ kind: 'edit', key })}
                  onRotate={() => setOpen({ kind: 'rotate', key })}
                  onRevoke={() => void revoke(key)}
                />
              ))}
            </ul>
          )
        }
      </Show>
      {open?.kind === 'create' && <KeyFormDialog onClose={close} />}
      {open?.kind === 'edit' && <KeyFormDialog apiKey={open.key} onClose={close} />}
      {open?.kind === 'rotate' && <KeyRotationDialog apiKey={open.key} onClose={close} />}
      {open?.kind === 'usage' && <KeyUsageDialog apiKey={open.key} onClose={close} />}
    </Page>
  );
}
