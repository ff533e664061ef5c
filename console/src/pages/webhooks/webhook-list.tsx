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
import { type Column, TableRows } from '../../components/table/table-rows';
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
            <TableRows label={t('webhooks')} columns={columnsFor(base)} rows={webhooks} rowKey={({ id }) => id} />
          )
        }
      </Show>
      {isAdding && <WebhookFormDialog onClose={close} />}
    </Page>
  );
}

const columnsFor = (base: string): Column<WebhookDto>[] => [
  {
    name: 'url',
    label: t('url'),
    cell: ({ id, url, description }) => (
      <>
        <Link href={`${base}/${id}`} class="address">
          {url}
        </Link>
        {description && <p class="soft entry-text">{description}</p>}
      </>
    ),
  },
  { name: 'status', label: t('status'), cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  { name: 'events', label: t('events'), cell: ({ events }) => <Subscriptions events={events} /> },
  {
    name: 'last_success',
    label: t('last_success'),
    cell: ({ last_success_at }) => (last_success_at ? formatAgo(last_success_at) : t('nothing_delivered')),
  },
];

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
