import { isApiError, type ProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { failureText } from '../../../app/failure-text';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import type { KnownProvider } from '../../../components/admin/known-providers';
import { LocalModels } from '../../../components/admin/local-models';
import { referenceOf } from '../../../components/admin/model-choice';
import { ProviderTrial } from '../../../components/admin/provider-trial';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { confirm, Dialog } from '../../../components/dialog';
import { choicesOf, yesOrNo } from '../../../components/form/choices';
import { Menu, type MenuItem } from '../../../components/menu';
import { Page } from '../../../components/page/page';
import { listOf } from '../../../components/table/list-of';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { UserText } from '../../../components/user-text';
import { AddProvider } from './add-provider';
import { ProviderForm } from './provider-form';
import { ProviderState } from './provider-state';
import { ProviderTiles } from './provider-tiles';

const t = texts('manage');
const admin = texts('admin');

/** The type leaves out `listModels`, whose rows `listOf` would otherwise infer. */
const listing: Pick<typeof api.admin.providers, 'list'> = api.admin.providers;

const providers = listOf('providers', listing, 'list');

interface Users {
  provider: ProviderDto;
  agents: { id: number; name: string }[];
}

/** All providers with their state and actions. */
export function Providers(): JSX.Element {
  const [version, change] = useVersion();
  const [edited, setEdited] = useState<ProviderDto | 'other'>();
  const [added, setAdded] = useState<KnownProvider | 'any'>();
  const [tried, setTried] = useState<ProviderDto>();
  const [used, setUsed] = useState<Users>();

  const closing = (set: (open: undefined) => void) => (): void => {
    set(undefined);
    change();
  };

  const guarded = async (provider: ProviderDto, action: () => Promise<unknown>): Promise<boolean> => {
    try {
      await action();
      return true;
    } catch (error) {
      // Without agents, it has the embedding model, which the message says.
      if (isApiError(error, 'PROVIDER_IN_USE') && error.details['agents'].length > 0) {
        setUsed({ provider, agents: error.details['agents'] });
      } else toast(failureText(error), { isFailure: true });
      return false;
    } finally {
      change();
    }
  };

  return (
    <Page
      title={admin('page_providers')}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setAdded('any')}>
          {t('create_provider')}
        </Button>
      }
    >
      <p class="soft">{t('providers_hint')}</p>
      <FirstProvider
        version={version}
        onChoose={(known) => (known === 'other' ? setEdited('other') : setAdded(known))}
      />
      <LocalModels onAdded={change} />
      <DataTable
        {...providers}
        label={admin('page_providers')}
        version={version}
        filters={[
          { name: 'q', label: t('provider_search') },
          { name: 'kind', label: t('kind'), choices: choicesOf(KINDS, (kind) => kind) },
          {
            name: 'is_active',
            label: t('is_active'),
            choices: yesOrNo(),
          },
        ]}
        columns={[
          { name: 'name', label: admin('name'), isSortable: true, cell: (provider) => <Name provider={provider} /> },
          {
            name: 'kind',
            label: t('kind'),
            isSortable: true,
            cell: ({ kind, source }) => (
              <>
                {kind}
                <div class="soft">{t(`source_${SOURCES[source]}`)}</div>
              </>
            ),
          },
          {
            name: 'base_url',
            label: t('url'),
            isSortable: true,
            cell: ({ base_url }) => <span class="address">{base_url ?? '—'}</span>,
          },
          {
            name: 'model',
            label: t('default_model'),
            isSortable: true,
            cell: ({ model }) => <UserText>{model}</UserText>,
          },
          {
            name: 'key',
            label: admin('key'),
            cell: ({ has_api_key, api_key_last_four }) =>
              has_api_key ? <code class="key-ends">{`…${api_key_last_four ?? ''}`}</code> : '—',
          },
          { name: 'state', label: admin('status'), cell: (provider) => <ProviderState provider={provider} /> },
          {
            name: 'actions',
            label: admin('actions'),
            cell: (provider) => (
              <span class="row-actions">
                <Button onClick={() => setTried(provider)}>{t('try')}</Button>
                {provider.source === 'database' && (
                  <Menu
                    label={t('actions_of', { name: provider.name })}
                    items={actionsOf(provider, () => setEdited(provider), guarded)}
                  />
                )}
              </span>
            ),
          },
        ]}
        rowKey={({ name }) => name}
        empty={null}
      />
      {added && <AddProvider chosen={added === 'any' ? undefined : added} onClose={closing(setAdded)} />}
      {edited && <ProviderForm provider={edited === 'other' ? undefined : edited} onClose={closing(setEdited)} />}
      {tried && <ProviderTrial provider={tried} onClose={closing(setTried)} />}
      {used && <InUse {...used} onClose={() => setUsed(undefined)} />}
    </Page>
  );
}

/** The tiles are on the page until there is a provider other than the demo. */
function FirstProvider({
  version,
  onChoose,
}: {
  version: number;
  onChoose: (provider: KnownProvider | 'other') => void;
}): JSX.Element | null {
  const { data } = useLoad(
    async () => (await api.admin.providers.list({ query: { size: 100 } })).data.items,
    [version],
  );
  return data?.every(({ kind }) => kind === 'demo') ? <ProviderTiles onChoose={onChoose} /> : null;
}

const KINDS: ProviderDto['kind'][] = ['openai-compatible', 'anthropic', 'demo'];

const SOURCES = { database: 'database', environment: 'environment', 'built-in': 'built_in' } as const;

function Name({ provider: { name, is_default } }: { provider: ProviderDto }): JSX.Element {
  return (
    <>
      <UserText>{name}</UserText> {is_default && <Badge tone="accent">{t('default')}</Badge>}
    </>
  );
}

type Guarded = (provider: ProviderDto, action: () => Promise<unknown>) => Promise<boolean>;

function actionsOf(provider: ProviderDto, onEdit: () => void, guarded: Guarded): MenuItem[] {
  const path = { id: referenceOf(provider) };
  const { name, is_active, is_default } = provider;
  const change = async (body: { is_active?: boolean; is_default?: boolean }): Promise<void> => {
    if (await guarded(provider, () => api.admin.providers.update({ path, body })))
      toast(t('provider_changed', { name }));
  };
  const switchOff = async (): Promise<void> => {
    const question = { title: t('switch_off_title', { name }), text: t('switch_off_hint'), action: t('switch_off') };
    if (await confirm({ ...question, isDangerous: true })) await change({ is_active: false });
  };
  const remove = async (): Promise<void> => {
    const question = {
      title: t('delete_provider_title', { name }),
      text: t('delete_provider_hint'),
      action: t('delete'),
    };
    if (!(await confirm({ ...question, isDangerous: true }))) return;
    if (await guarded(provider, () => api.admin.providers.remove({ path }))) toast(t('provider_deleted', { name }));
  };
  return [
    { label: t('edit'), icon: 'edit', onSelect: onEdit },
    ...(is_default
      ? []
      : [{ label: t('make_default'), icon: 'check' as const, onSelect: () => void change({ is_default: true }) }]),
    is_active
      ? { label: t('switch_off'), icon: 'off', onSelect: () => void switchOff() }
      : { label: t('switch_on'), icon: 'check', onSelect: () => void change({ is_active: true }) },
    { label: t('delete'), icon: 'trash', isDangerous: true, onSelect: () => void remove() },
  ];
}

/** Why the provider cannot be deleted, with links to the agents that use it. */
function InUse({ provider, agents, onClose }: Users & { onClose: () => void }): JSX.Element {
  return (
    <Dialog title={t('in_use_title', { name: provider.name })} onClose={onClose}>
      <p>{t('in_use_hint')}</p>
      <ul>
        {agents.map(({ id, name }) => (
          <li key={id}>
            <Link href={`/admin/agents/${id}`}>
              <UserText>{name}</UserText>
            </Link>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
