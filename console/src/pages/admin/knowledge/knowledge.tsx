import type { KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { UserLink } from '../../../components/admin/links';
import { userEntry } from '../../../components/admin/look-ups';
import { Badge } from '../../../components/badge';
import { FileCounts } from '../../../components/knowledge/file-counts';
import { formatStorage } from '../../../components/knowledge/storage';
import { Page } from '../../../components/page/page';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';
import { CollectionActions } from './collection-actions';
import { Embedding } from './embedding';

const t = texts('knowledge');
const admin = texts('admin');

/** The parameters come from the page's address. The service validates them. */
type Query = NonNullable<Parameters<typeof api.admin.knowledge.list>[0]>['query'];

/** The collections of all users, without their texts, and the embedding model. */
export function Knowledge(): JSX.Element {
  const [version, change] = useVersion();
  return (
    <Page title={admin('page_knowledge')}>
      <Embedding />
      <section class="stack">
        <h2>{t('all_collections')}</h2>
        <p class="soft">{t('all_collections_text')}</p>
        <DataTable
          label={t('all_collections')}
          load={async (query) => (await api.admin.knowledge.list({ query: query as Query })).data}
          version={version}
          filters={[
            { name: 'q', label: t('search_collections') },
            { name: 'owner_id', label: t('owner'), entry: userEntry },
          ]}
          columns={[
            { name: 'name', label: t('name'), cell: (collection) => <Name collection={collection} /> },
            {
              name: 'owner',
              label: t('owner'),
              cell: ({ owner }) => (owner ? <UserLink id={owner.id} name={owner.username} /> : t('owner_service')),
            },
            { name: 'files', label: t('files'), cell: ({ files }) => <FileCounts files={files} /> },
            {
              name: 'passages',
              label: t('passages'),
              isNumber: true,
              cell: ({ passages }) => formatNumber(passages),
            },
            {
              name: 'storage',
              label: t('storage'),
              isNumber: true,
              cell: ({ usage_bytes: bytes }) => <span class="amount">{formatStorage(bytes)}</span>,
            },
            { name: 'created_at', label: admin('created_at'), cell: ({ created_at: at }) => <Time at={at} /> },
            {
              name: 'actions',
              label: admin('actions'),
              cell: (collection) => <CollectionActions collection={collection} onChange={change} />,
            },
          ]}
          rowKey={({ id }) => id}
          empty={<p>{t('no_collections')}</p>}
        />
      </section>
    </Page>
  );
}

function Name({ collection: { name, trusted, access } }: { collection: KnowledgeDto }): JSX.Element {
  return (
    <>
      <UserText>{name}</UserText>{' '}
      <span class="row tight">
        {trusted && <Badge tone="success">{t('trusted')}</Badge>}
        {access?.everyone && <Badge tone="accent">{t('everyone')}</Badge>}
        {access?.groups !== undefined && access.groups.length > 0 && (
          <Badge tone="accent">{t('groups', { count: access.groups.length })}</Badge>
        )}
      </span>
    </>
  );
}
