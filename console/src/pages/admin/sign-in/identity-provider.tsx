import type { IdentityProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation, useParams } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Address } from '../../../components/address';
import { SwitchedActions } from '../../../components/admin/switched-actions';
import { Button } from '../../../components/button';
import { Facts } from '../../../components/facts';
import { Form } from '../../../components/form/form';
import { Icon } from '../../../components/icon';
import { Page } from '../../../components/page/page';
import { Show } from '../../../components/states';
import { DirectorySection } from './directory';
import { ProviderBadge } from './identity-providers';
import { creationOf, fieldsOf } from './provider-entries';
import { ProviderFields } from './provider-fields';
import { ProviderFindings } from './provider-findings';

const t = texts('company');
const admin = texts('admin');
const shell = texts('shell');
const manage = texts('manage');

const PLACE = '/admin/sign-in';

export function NewIdentityProvider(): JSX.Element {
  const [, navigate] = useLocation();
  const create = async (entries: FormData): Promise<void> => {
    const { data } = await api.admin.identityProviders.create({ body: creationOf(entries) });
    navigate(`${PLACE}/${data.id}`);
    toast(t('provider_created', { name: data.name }));
  };
  return (
    <Page title={t('new_provider')} actions={<BackLink />}>
      <Form action={manage('create')} onSubmit={create}>
        <ProviderFields />
      </Form>
    </Page>
  );
}

/** The page of an identity provider: its settings, a test, and the directory key. */
export function IdentityProvider(): JSX.Element {
  const id = Number(useParams<{ id: string }>().id);
  const loaded = useLoad(async () => (await api.admin.identityProviders.read({ path: { id } })).data, [id]);
  const [isTrying, setIsTrying] = useState(false);
  const save = async (entries: FormData): Promise<void> => {
    await api.admin.identityProviders.update({ path: { id }, body: fieldsOf(entries, loaded.data) });
    toast(shell('saved'));
    loaded.reload();
  };
  const provider = loaded.data;
  return (
    <Page
      title={provider?.name ?? t('provider')}
      actions={
        <>
          <BackLink />
          {provider && (
            <>
              <Button onClick={() => setIsTrying(true)}>{t('test')}</Button>
              <Actions provider={provider} onChange={loaded.reload} />
            </>
          )}
        </>
      }
    >
      <Show loaded={loaded}>
        {(shown) => (
          <>
            <ProviderFacts provider={shown} />
            <Form key={shown.updated_at} action={shell('save')} onSubmit={save}>
              <ProviderFields provider={shown} />
            </Form>
            <DirectorySection provider={shown} />
            {isTrying && <ProviderFindings provider={shown} onClose={() => setIsTrying(false)} />}
          </>
        )}
      </Show>
    </Page>
  );
}

function BackLink(): JSX.Element {
  return (
    <Link href={PLACE} class="button">
      <Icon name="back" />
      {admin('page_sign-in')}
    </Link>
  );
}

/** The addresses to register at the provider. */
function ProviderFacts({ provider }: { provider: IdentityProviderDto }): JSX.Element {
  const logout = provider.redirect_uri.replace(/callback$/, 'backchannel_logout');
  return (
    <section class="card stack">
      <Facts
        facts={[
          [admin('status'), <ProviderBadge key="status" provider={provider} />],
          [t('slug'), <code key="slug">{provider.slug}</code>],
          [t('redirect_uri'), <Address key="redirect" text={provider.redirect_uri} label={t('copy_redirect_uri')} />],
          [t('logout_uri'), <Address key="logout" text={logout} label={t('copy_logout_uri')} />],
          [t('managed_by'), t(`managed_by_${provider.managed_by}`)],
        ]}
      />
      <p class="soft">{t('register_text')}</p>
    </section>
  );
}

interface ActionsProps {
  provider: IdentityProviderDto;
  onChange: () => void;
}

function Actions({ provider: { id, name, is_active: isActive }, onChange }: ActionsProps): JSX.Element {
  const path = { id };
  return (
    <SwitchedActions
      isActive={isActive}
      onSwitch={(active, endsSessions) =>
        api.admin.identityProviders.update({ path, body: { is_active: active, end_sessions: endsSessions } })
      }
      onDelete={(force) => api.admin.identityProviders.remove({ path, query: { force } })}
      inUse="PROVIDER_IN_USE"
      place={PLACE}
      onChange={onChange}
      words={{
        switchOn: t('switch_on'),
        switchOff: t('switch_off'),
        switchOffTitle: t('switch_off_title', { name }),
        switchOffText: t('switch_off_text'),
        switchOffOption: t('end_sessions'),
        switchedOn: t('provider_switched_on', { name }),
        switchedOff: t('provider_switched_off', { name }),
        deleteTitle: t('delete_title', { name }),
        deleteText: t('delete_text'),
        deleteUsedText: (count) => t('delete_used_text', { count }),
        deleted: t('provider_deleted', { name }),
      }}
    />
  );
}
