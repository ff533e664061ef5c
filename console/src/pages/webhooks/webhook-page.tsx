import '../../styles/webhooks.css';
import type { WebhookDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api } from '../../app/api';
import { formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { user } from '../../app/visit';
import { Button } from '../../components/button';
import { confirm } from '../../components/dialog';
import { Facts } from '../../components/facts';
import { Icon } from '../../components/icon';
import { Menu } from '../../components/menu';
import { Page } from '../../components/page/page';
import { Show } from '../../components/states';
import { useVersion } from '../../components/table/use-version';
import { Deliveries } from './deliveries';
import { NewSecretDialog } from './new-secret';
import { ReplayDialog } from './replay';
import { WebhookFormDialog } from './webhook-form';
import { Subscriptions } from './webhook-list';
import { WebhookStatus, WebhookTrouble } from './webhook-status';

const t = texts('webhooks');

interface WebhookPageProps {
  id: number;
  /** Path of the list. */
  back: string;
}

/** The page of a webhook: its settings, deliveries and actions. */
export function WebhookPage({ id, back }: WebhookPageProps): JSX.Element {
  const loaded = useLoad(async () => (await api.webhooks.read({ path: { id } })).data, [id]);
  return (
    <Page
      title={t('webhook')}
      actions={
        <Link href={back} class="button">
          <Icon name="back" />
          {t('webhooks')}
        </Link>
      }
    >
      <Show loaded={loaded}>{(webhook) => <Webhook webhook={webhook} back={back} onChange={loaded.reload} />}</Show>
    </Page>
  );
}

interface WebhookProps {
  webhook: WebhookDto;
  back: string;
  onChange: () => void;
}

function Webhook({ webhook, back, onChange }: WebhookProps): JSX.Element {
  const [open, setOpen] = useState<'edit' | 'replay'>();
  const [secret, setSecret] = useState<string>();
  /** Increases with each action that adds deliveries. */
  const [version, raise] = useVersion();
  const [, navigate] = useLocation();
  const path = { id: webhook.id };
  // Administrators can see all webhooks, but edit only their own.
  const isOwn = webhook.user_id === user.value?.id;

  const change = (): void => {
    setOpen(undefined);
    setSecret(undefined);
    raise();
    onChange();
  };
  const act = async (action: () => Promise<{ message: string }>, undo?: () => void): Promise<void> => {
    await attempt(async () => toast((await action()).message, { undo }));
    change();
  };
  const switchTo = (isActive: boolean): Promise<void> =>
    act(
      () => api.webhooks.update({ path, body: { is_active: isActive } }),
      () => void act(() => api.webhooks.update({ path, body: { is_active: !isActive } })),
    );
  const rotate = async (): Promise<void> => {
    if (!(await confirm({ title: t('rotate'), text: t('rotate_text'), action: t('rotate') }))) return;
    await attempt(async () => setSecret((await api.webhooks.rotateSecret({ path })).data.secret));
  };
  const remove = async (): Promise<void> => {
    const title = t('remove_title');
    const text = t('remove_text', { url: webhook.url });
    if (!(await confirm({ title, text, action: t('remove'), isDangerous: true }))) return;
    await attempt(async () => {
      const { message } = await api.webhooks.remove({ path });
      navigate(back);
      toast(message);
    });
  };

  return (
    <>
      <section class="card stack">
        <div class="row spread">
          <h2 class="entry-text">{webhook.url}</h2>
          <WebhookStatus webhook={webhook} />
        </div>
        <WebhookTrouble webhook={webhook} />
        <WebhookFacts webhook={webhook} />
        {isOwn && (
          <div class="row">
            <Button icon="send" onClick={() => void act(() => api.webhooks.test({ path }))}>
              {t('test')}
            </Button>
            <Button icon="edit" onClick={() => setOpen('edit')}>
              {t('edit')}
            </Button>
            <Button onClick={() => void switchTo(!webhook.is_active)}>
              {webhook.is_active ? t('switch_off') : t('switch_on')}
            </Button>
            <Button icon="refresh" onClick={() => setOpen('replay')}>
              {t('replay')}
            </Button>
            <Menu
              label={t('more')}
              items={[
                { label: t('rotate'), icon: 'refresh', onSelect: () => void rotate() },
                { label: t('remove'), icon: 'trash', isDangerous: true, onSelect: () => void remove() },
              ]}
            />
          </div>
        )}
      </section>
      <Deliveries webhook={webhook} canRedeliver={isOwn} version={version} />
      {open === 'edit' && <WebhookFormDialog webhook={webhook} onClose={change} />}
      {open === 'replay' && <ReplayDialog webhookId={webhook.id} onClose={change} />}
      {secret !== undefined && <NewSecretDialog secret={secret} onClose={change} />}
    </>
  );
}

function WebhookFacts({ webhook }: { webhook: WebhookDto }): JSX.Element {
  return (
    <Facts
      facts={[
        webhook.description && [t('description'), webhook.description],
        [t('events'), <Subscriptions key="events" events={webhook.events} />],
        [t('content'), webhook.include_content ? t('content_included') : t('content_left_out')],
        [t('scope'), webhook.scope === 'all' ? t('scope_all') : t('scope_own')],
        [t('last_success'), formatTime(webhook.last_success_at)],
        [t('last_failure'), formatTime(webhook.last_failure_at)],
        webhook.previous_secret_expires_at && [
          t('previous_secret'),
          t('previous_secret_until', { time: formatTime(webhook.previous_secret_expires_at) }),
        ],
        [t('created'), formatTime(webhook.created_at)],
      ]}
    />
  );
}
