import type { KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import { api } from '../../app/api';
import { formatNumber } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Facts } from '../../components/facts';
import { Icon } from '../../components/icon';
import { formatStorage } from '../../components/knowledge/storage';
import { Page } from '../../components/page/page';
import { Show } from '../../components/states';
import { Time } from '../../components/time';
import { UserText } from '../../components/user-text';
import { AccessBadges } from './access-badges';
import { AccessDialog } from './access-dialog';
import { CollectionMenu } from './collection-menu';
import { Owner } from './collections';
import { Entries } from './entries/entries';
import { SearchTrial } from './search-trial';

const t = texts('knowledge');

const TABS = ['files', 'search'] as const;

/** The page of a collection: its files, and a search in them. */
export function Collection({ id }: { id: number }): JSX.Element {
  const [parameters] = useSearchParams();
  const [isSharing, setIsSharing] = useState(false);
  const loaded = useLoad(async () => (await api.knowledge.read({ path: { id } })).data, [id]);
  const collection = loaded.data;
  const tab = TABS.find((name) => name === parameters.get('tab')) ?? 'files';
  const isOwner = collection?.my_role === 'owner';
  return (
    <Page
      title={collection?.name ?? t('collection')}
      actions={
        <>
          <Link href="/knowledge" class="button">
            <Icon name="back" />
            {t('knowledge')}
          </Link>
          {isOwner && (
            <Button icon="share" onClick={() => setIsSharing(true)}>
              {t('share')}
            </Button>
          )}
          {collection && isOwner && <CollectionMenu collection={collection} onChange={loaded.reload} />}
        </>
      }
    >
      <Show loaded={loaded}>
        {(shown) => (
          <>
            <Overview collection={shown} />
            <nav class="tabs" aria-label={shown.name}>
              {TABS.map((name) => (
                <Link key={name} href={`/knowledge/${id}?tab=${name}`} aria-current={tab === name ? 'page' : undefined}>
                  {t(`tab_${name}`)}
                </Link>
              ))}
            </nav>
            {tab === 'files' && <Entries collection={shown} onChange={loaded.reload} />}
            {tab === 'search' && <SearchTrial id={id} />}
            {isSharing && (
              <AccessDialog collection={shown} onSaved={loaded.reload} onClose={() => setIsSharing(false)} />
            )}
          </>
        )}
      </Show>
    </Page>
  );
}

function Overview({ collection }: { collection: KnowledgeDto }): JSX.Element {
  const { description, expires_at: expiry, my_role: role, trusted, mode, passages, usage_bytes: bytes } = collection;
  const isExpired = expiry !== null && Date.parse(expiry) <= Date.now();
  return (
    <>
      {isExpired && <p class="notice warning">{t('expired')}</p>}
      <div class="card">
        <Facts
          facts={[
            description && [t('description'), <UserText key="description">{description}</UserText>],
            [t('owner'), <Owner key="owner" collection={collection} />],
            role !== 'owner' && [t('my_role'), t(`role_${role}`)],
            [t('access'), <AccessBadges key="access" collection={collection} />],
            [t('mode'), t(`mode_${mode}`)],
            [t('passages'), formatNumber(passages)],
            [t('storage'), formatStorage(bytes)],
            trusted && [
              t('trust'),
              <Badge key="trusted" tone="success">
                {t('trusted')}
              </Badge>,
            ],
            expiry && !isExpired && [t('expires_at'), <Time key="expiry" at={expiry} />],
          ]}
        />
      </div>
    </>
  );
}
