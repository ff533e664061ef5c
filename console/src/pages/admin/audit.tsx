import type { AuditLogDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../api';
import { texts } from '../../languages';
import { Page } from '../../parts/page';
import { DataTable } from '../../parts/table';
import { Changes } from './changes';
import { listOf } from './lists';
import { period, Time, UserLink, Words } from './shared';

const t = texts('admin');

const log = listOf<AuditLogDto>('audit-log', (request) => api.admin.audit.list(request));

/** The pages of what can be a target. */
const PLACES: Record<string, string> = { user: 'users', agent: 'agents', webhook: 'webhooks', chat: 'chats' };

/** Who did what, when and to whom. */
export function Audit(): JSX.Element {
  return (
    <Page title={t('page_audit')}>
      <p class="soft">{t('audit_hint')}</p>
      <DataTable
        {...log}
        label={t('page_audit')}
        filters={[
          { name: 'actor_id', label: t('actor_id'), kind: 'number' },
          { name: 'action', label: t('action') },
          { name: 'target', label: t('target') },
          { name: 'api_key_id', label: t('api_key_id'), kind: 'number' },
          ...period(),
        ]}
        columns={[
          {
            name: 'created_at',
            label: t('time'),
            isSortable: true,
            cell: ({ created_at }) => <Time at={created_at} />,
          },
          {
            name: 'actor',
            label: t('actor'),
            cell: ({ actor_id, actor_username }) => <UserLink id={actor_id} name={actor_username} />,
          },
          { name: 'action', label: t('action'), cell: ({ action }) => <code>{action}</code> },
          { name: 'target', label: t('target'), cell: (entry) => <Target entry={entry} /> },
          { name: 'changes', label: t('changes'), cell: (entry) => <What entry={entry} /> },
          { name: 'address', label: t('address'), cell: ({ address }) => <code>{address}</code> },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_audit')}</p>}
      />
    </Page>
  );
}

function Target({ entry: { target_type, target_id } }: { entry: AuditLogDto }): JSX.Element {
  const name = target_id === null ? target_type : `${target_type} ${target_id}`;
  const place = PLACES[target_type];
  return place && target_id ? (
    <Link href={`/admin/${place}/${target_id}`}>{name}</Link>
  ) : (
    <code>
      <bdi>{name}</bdi>
    </code>
  );
}

function What({
  entry: { before, after, reason, request_id, user_agent, api_key_id },
}: {
  entry: AuditLogDto;
}): JSX.Element {
  return (
    <div class="stack tight">
      {reason && (
        <p>
          {t('reason')}: <Words>{reason}</Words>
        </p>
      )}
      <Changes before={before} after={after} />
      <details>
        <summary>{t('circumstances')}</summary>
        <p class="soft">
          {t('request')}: <code>{request_id}</code>
          <br />
          {t('program')}: <Words>{user_agent}</Words>
          <br />
          {t('api_key_id')}: {api_key_id ?? '—'}
        </p>
      </details>
    </div>
  );
}
