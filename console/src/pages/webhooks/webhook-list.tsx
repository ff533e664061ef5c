import '../../styles/webhooks.css';
import type { WebhookDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import { api } from '../../app/api';
import { formatAgo } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Page } from '../../components/page/page';
import { Empty, Show } from '../../components/states';
import { WebhookFormDialog } from './webhook-form';
import { WebhookStatus } from './webhook-status';

const t = texts('webhooks');

/**
 * The user's own webhooks.
 *
 * @param base path of this page, below which each webhook has its own page
 */
export function WebhookList({ base }: { base: string }): JSX.Element {
  const loaded = useLoad(async () => (await api.webhooks.list({ query: { size: 100 } })).data.items, []);
  const [parameters, setParameters] = useSearchParams();
  // The administration's list of all webhooks leads here.
  const [isAdding, setIsAdding] = useState(parameters.has('add'));
  const close = (): void => {
    setIsAdding(false);
    setParameters({}, { replace: true });
    loaded.reload();
  };
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setIsAdding(true)}>
      {t('add')}
    </Button>
  );
  return (
    <Page title={t('webhooks')} actions={add}>
      <p class="soft">{t('intro')}</p>
      <Show loaded={loaded}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Empty>
              <p>{t('no_webhooks')}</p>
            </Empty>
          ) : (
            <ul class="plain-list stack">
              {webhooks.map((webhook) => (
                <WebhookCard key={webhook.id} webhook={webhook} address={`${base}/${webhook.id}`} />
              ))}
            </ul>
          )
        }
      </Show>
      {isAdding && <WebhookFormDialog onClose={close} />}
    </Page>
  );
}

function WebhookCard({ webhook, address }: { webhook: WebhookDto; address: string }): JSX.Element {
  return (
    <li class="card stack">
      <div class="row spread">
        <h2 class="entry-text">
          <Link href={address}>{webhook.url}</Link>
        </h2>
        <WebhookStatus webhook={webhook} />
      </div>
      {webhook.description && <p class="entry-text">{webhook.description}</p>}
      <p class="soft">
        {webhook.last_success_at
          ? t('last_success_ago', { time: formatAgo(webhook.last_success_at) })
          : t('nothing_delivered')}
      </p>
      <Subscriptions events={webhook.events} />
    </li>
  );
}

/** The subscribed events of a webhook, as badges. */
export function Subscriptions({ events }: { events: string[] }): JSX.Element {
  return (
    <span class="row">
      {events.map((event) => (
        <Badge key={event} isCode>
          {event === '*' ? t('all_events') : event}
        </Badge>
      ))}
    </span>
  );
}
