import type { KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { user } from '../../app/visit';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { choicesOf } from '../../components/form/choices';
import { FileCounts } from '../../components/knowledge/file-counts';
import { formatStorage } from '../../components/knowledge/storage';
import { Page } from '../../components/page/page';
import { DataTable } from '../../components/table/table';
import { Time } from '../../components/time';
import { UserText } from '../../components/user-text';
import { AccessBadges } from './access-badges';
import { CollectionForm } from './collection-form';

const t = texts('knowledge');

/** The parameters come from the page's address. The service validates them. */
type Query = NonNullable<Parameters<typeof api.knowledge.list>[0]>['query'];

const ROLES = ['owner', 'editor', 'reader'] as const;

/** All collections that the user may read. */
export function Collections(): JSX.Element {
  const [, navigate] = useLocation();
  const [isCreating, setIsCreating] = useState(false);
  return (
    <Page
      title={t('knowledge')}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
          {t('new_collection')}
        </Button>
      }
    >
      <p class="soft">{t('knowledge_text')}</p>
      <DataTable
        label={t('knowledge')}
        load={async (query) => (await api.knowledge.list({ query: query as Query })).data}
        filters={[
          { name: 'q', label: t('search_collections') },
          { name: 'role', label: t('my_role'), choices: choicesOf(ROLES, (role) => t(`role_${role}`)) },
        ]}
        columns={[
          { name: 'name', label: t('name'), cell: (collection) => <Name collection={collection} /> },
          { name: 'owner', label: t('owner'), cell: (collection) => <Owner collection={collection} /> },
          { name: 'access', label: t('access'), cell: (collection) => <AccessBadges collection={collection} /> },
          { name: 'files', label: t('files'), cell: ({ files }) => <FileCounts files={files} /> },
          { name: 'mode', label: t('mode'), cell: ({ mode }) => t(`mode_${mode}`) },
          {
            name: 'storage',
            label: t('storage'),
            isNumber: true,
            cell: ({ usage_bytes: bytes }) => <span class="amount">{formatStorage(bytes)}</span>,
          },
          { name: 'updated', label: t('updated'), cell: ({ updated_at: at }) => <Time at={at} /> },
        ]}
        rowKey={({ id }) => id}
        empty={
          <>
            <p>{t('no_collections')}</p>
            <p>{t('no_collections_hint')}</p>
          </>
        }
      />
      {isCreating && (
        <CollectionForm onSaved={({ id }) => navigate(`/knowledge/${id}`)} onClose={() => setIsCreating(false)} />
      )}
    </Page>
  );
}

function Name({ collection: { id, name, description, trusted } }: { collection: KnowledgeDto }): JSX.Element {
  return (
    <>
      <Link href={`/knowledge/${id}`}>
        <UserText>{name}</UserText>
      </Link>{' '}
      {trusted && <Badge tone="success">{t('trusted')}</Badge>}
      {description && (
        <p class="soft description">
          <bdi>{description}</bdi>
        </p>
      )}
    </>
  );
}

/** The owner; the service has the collections of closed accounts. */
export function Owner({ collection: { owner } }: { collection: KnowledgeDto }): JSX.Element {
  if (owner === null) return <>{t('owner_service')}</>;
  return owner.id === user.value?.id ? <>{t('owner_you')}</> : <UserText>{owner.username}</UserText>;
}
