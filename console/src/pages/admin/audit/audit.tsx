import type { AuditLogDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { changedFields, Changes } from '../../../components/admin/changes';
import { UserLink } from '../../../components/admin/links';
import { keyEntry, userEntry } from '../../../components/admin/look-ups';
import { Page } from '../../../components/page/page';
import { listOf } from '../../../components/table/list-of';
import { period } from '../../../components/table/period';
import { DataTable } from '../../../components/table/table';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';

const t = texts('admin');

const log = listOf('audit-log', api.admin.audit, 'list');

/** Paths of the pages for audit targets. */
const PLACES: Record<string, string> = { user: 'users', agent: 'agents', webhook: 'webhooks', chat: 'chats' };

/** The audit log: the actor, the change, its time and its target. */
export function Audit(): JSX.Element {
  return (
    <Page title={t('page_audit')}>
      <p class="soft">{t('audit_hint')}</p>
      <DataTable
        {...log}
        label={t('page_audit')}
        filters={[
          { name: 'actor_id', label: t('actor'), entry: userEntry },
          { name: 'action', label: t('action') },
          { name: 'target', label: t('target') },
          { name: 'api_key_id', label: t('by_api_key'), entry: keyEntry },
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
            cell: ({ actor_id, actor_username }) =>
              actor_id === null ? '—' : <UserLink id={actor_id} name={actor_username} />,
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
  const count = changedFields(before, after).length;
  return (
    <div class="stack tight">
      {reason && (
        <p>
          {t('reason')}: <UserText>{reason}</UserText>
        </p>
      )}
      <details>
        <summary>{count > 0 ? t('fields_changed', { count }) : t('circumstances')}</summary>
        <div class="stack tight">
          <Changes before={before} after={after} />
          <p class="soft">
            {t('request')}: <code>{request_id}</code>
            <br />
            {t('program')}: <UserText>{user_agent}</UserText>
            <br />
            {t('api_key_id')}: {api_key_id ?? '—'}
          </p>
        </div>
      </details>
    </div>
  );
}
