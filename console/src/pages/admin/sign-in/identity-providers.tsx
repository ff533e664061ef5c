import type { IdentityProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Icon } from '../../../components/icon';
import { Page } from '../../../components/page/page';
import { DataTable } from '../../../components/table/table';
import { UserText } from '../../../components/user-text';
import { ProviderFindings } from './provider-findings';

const t = texts('company');
const admin = texts('admin');

export function IdentityProviders(): JSX.Element {
  const [tried, setTried] = useState<IdentityProviderDto>();
  return (
    <Page
      title={admin('page_sign-in')}
      actions={
        <Link href="/admin/sign-in/new" class="button primary">
          <Icon name="plus" />
          {t('new_provider')}
        </Link>
      }
    >
      <p class="soft">{t('providers_text')}</p>
      <DataTable
        label={admin('page_sign-in')}
        load={async () => (await api.admin.identityProviders.list()).data}
        columns={[
          {
            name: 'name',
            label: admin('name'),
            cell: ({ id, name }) => (
              <Link href={`/admin/sign-in/${id}`}>
                <UserText>{name}</UserText>
              </Link>
            ),
          },
          { name: 'slug', label: t('slug'), cell: ({ slug }) => <code>{slug}</code> },
          { name: 'issuer', label: t('issuer'), cell: ({ issuer }) => <span class="address">{issuer}</span> },
          { name: 'jit', label: t('jit'), cell: ({ jit }) => t(`jit_${jit}`) },
          { name: 'status', label: admin('status'), cell: (provider) => <ProviderBadge provider={provider} /> },
          {
            name: 'actions',
            label: admin('actions'),
            cell: (provider) => (
              <Button aria-label={t('test_title', { name: provider.name })} onClick={() => setTried(provider)}>
                {t('test')}
              </Button>
            ),
          },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_providers')}</p>}
      />
      {tried && <ProviderFindings provider={tried} onClose={() => setTried(undefined)} />}
    </Page>
  );
}

export function ProviderBadge({ provider: { is_active } }: { provider: IdentityProviderDto }): JSX.Element {
  return <Badge tone={is_active ? 'success' : ''}>{t(is_active ? 'switched_on' : 'switched_off')}</Badge>;
}
