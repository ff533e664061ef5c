import type { JSX } from 'preact';
import { Link, useParams } from 'wouter-preact';
import { api } from '../../app/api';
import { formatNumber } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { UserLink } from '../../components/admin/links';
import { userEntry } from '../../components/admin/look-ups';
import { choicesOf, yesOrNo } from '../../components/form/choices';
import { Icon } from '../../components/icon';
import { Page } from '../../components/page/page';
import { listOf } from '../../components/table/list-of';
import { DataTable } from '../../components/table/table';
import { Time } from '../../components/time';
import { WebhookPage } from './webhook-page';
import { WebhookStatus } from './webhook-status';

const t = texts('manage');
const admin = texts('admin');
const hooks = texts('webhooks');

const webhooks = listOf('webhooks', api.admin.webhooks, 'list');

/** The webhooks of all users, with their status. */
export function AllWebhooks(): JSX.Element {
  return (
    <Page
      title={admin('page_webhooks')}
      actions={
        <Link href="/account/webhooks?add=yes" class="button primary">
          <Icon name="plus" />
          {hooks('add')}
        </Link>
      }
    >
      <DataTable
        {...webhooks}
        label={admin('page_webhooks')}
        filters={[
          { name: 'q', label: t('url_search') },
          { name: 'user_id', label: admin('owner'), entry: userEntry },
          { name: 'scope', label: t('scope'), choices: choicesOf(['own', 'all'], (name) => t(`scope_${name}`)) },
          {
            name: 'is_active',
            label: t('is_active'),
            choices: yesOrNo(),
          },
        ]}
        columns={[
          {
            name: 'url',
            label: t('url'),
            isSortable: true,
            cell: ({ id, url }) => (
              <Link href={`/admin/webhooks/${id}`} class="address">
                {url}
              </Link>
            ),
          },
          {
            name: 'user_id',
            label: admin('owner'),
            isSortable: true,
            cell: ({ user_id, username }) => <UserLink id={user_id} name={username} />,
          },
          { name: 'scope', label: t('scope'), cell: ({ scope }) => t(`scope_${scope}`) },
          { name: 'events', label: t('events'), cell: ({ events }) => <code>{events.join(' ')}</code> },
          { name: 'state', label: admin('status'), cell: (webhook) => <WebhookStatus webhook={webhook} /> },
          {
            name: 'failure_count',
            label: t('failures'),
            isSortable: true,
            isNumber: true,
            cell: ({ failure_count }) => formatNumber(failure_count),
          },
          {
            name: 'last_success_at',
            label: t('last_success'),
            isSortable: true,
            cell: ({ last_success_at }) => <Time at={last_success_at} />,
          },
          {
            name: 'last_failure_at',
            label: t('last_failure'),
            isSortable: true,
            cell: ({ last_failure_at }) => <Time at={last_failure_at} />,
          },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_webhooks')}</p>}
      />
    </Page>
  );
}

export function Webhook(): JSX.Element {
  const id = Number(useParams<{ id: string }>().id);
  return <WebhookPage key={id} id={id} back="/admin/webhooks" />;
}
