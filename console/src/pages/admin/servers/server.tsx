import type { McpServerDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { connectWith } from '../../../components/acting/questions/connecting';
import { Address } from '../../../components/address';
import { Button } from '../../../components/button';
import { Facts } from '../../../components/facts';
import { Icon } from '../../../components/icon';
import { Page } from '../../../components/page/page';
import { Show } from '../../../components/states';
import { useVersion } from '../../../components/table/use-version';
import { Time } from '../../../components/time';
import { ServerActions } from './server-actions';
import { creationOf, fieldsOf } from './server-entries';
import { ServerFindings } from './server-findings';
import { ServerForm } from './server-form';
import { hostOf, ServerBadge } from './server-state';
import { ChooseTools } from './tools/choose-tools';
import { ServerTools } from './tools/server-tools';

const t = texts('servers');
const company = texts('company');
const questions = texts('questions');
const admin = texts('admin');
const shell = texts('shell');
const manage = texts('manage');

const TABS = ['tools', 'settings'] as const;

export function NewServer(): JSX.Element {
  const [, navigate] = useLocation();
  const create = async (entries: FormData): Promise<void> => {
    const { data } = await api.admin.mcpServers.create({ body: creationOf(entries) });
    // The tools of a server with OAuth per user can be read after the administrator has connected.
    const isReadable = data.auth !== 'oauth_user' && data.auth !== 'enterprise';
    navigate(`/admin/servers/${data.id}${isReadable ? '?choose=tools' : ''}`);
    toast(t('server_created', { label: data.label }));
  };
  return (
    <Page title={t('new_server')} actions={<BackLink />}>
      <ServerForm action={manage('create')} onSave={create} />
    </Page>
  );
}

/** The page of an MCP server: its tools, pending reviews and settings. */
export function Server(): JSX.Element {
  const id = Number(useParams<{ id: string }>().id);
  const [parameters, setParameters] = useSearchParams();
  const tab = parameters.get('tab') === 'settings' ? 'settings' : 'tools';
  const loaded = useLoad(async () => (await api.admin.mcpServers.read({ path: { id } })).data, [id]);
  const [version, change] = useVersion();
  const [isTrying, setIsTrying] = useState(false);
  const isChoosing = parameters.has('choose');
  const choose = (isOpen: boolean): void => setParameters(isOpen ? { choose: 'tools' } : {}, { replace: true });
  const server = loaded.data;
  const onChange = (): void => {
    change();
    loaded.reload();
  };
  const save = async (entries: FormData): Promise<void> => {
    await api.admin.mcpServers.update({ path: { id }, body: fieldsOf(entries) });
    toast(shell('saved'));
    loaded.reload();
  };
  return (
    <Page
      title={server?.label ?? t('server')}
      actions={
        <>
          <BackLink />
          {server && (
            <>
              <Button kind="primary" onClick={() => choose(true)}>
                {t('choose_tools')}
              </Button>
              <Button onClick={() => setIsTrying(true)}>{t('test')}</Button>
              <Refresh id={id} onChange={onChange} />
              <ServerActions server={server} onChange={onChange} />
            </>
          )}
        </>
      }
    >
      <Show loaded={loaded}>
        {(shown) => (
          <>
            <ServerFacts server={shown} />
            <nav class="tabs" aria-label={shown.label}>
              {TABS.map((name) => (
                <Link
                  key={name}
                  href={`/admin/servers/${id}${name === 'settings' ? '?tab=settings' : ''}`}
                  aria-current={tab === name ? 'page' : undefined}
                >
                  {t(`tab_${name}`)}
                </Link>
              ))}
            </nav>
            {tab === 'tools' ? (
              <ServerTools server={shown} version={version} onChange={onChange} onRead={loaded.reload} />
            ) : (
              <ServerForm key={shown.updated_at} server={shown} action={shell('save')} onSave={save} />
            )}
            {isChoosing && <ChooseTools server={shown} onClose={() => choose(false)} onChange={onChange} />}
            {isTrying && (
              <ServerFindings
                server={shown}
                onClose={() => {
                  setIsTrying(false);
                  onChange();
                }}
              />
            )}
          </>
        )}
      </Show>
    </Page>
  );
}

function BackLink(): JSX.Element {
  return (
    <Link href="/admin/servers" class="button">
      <Icon name="back" />
      {admin('page_servers')}
    </Link>
  );
}

function Refresh({ id, onChange }: { id: number; onChange: () => void }): JSX.Element {
  const [isBusy, setIsBusy] = useState(false);
  const refresh = async (): Promise<void> => {
    setIsBusy(true);
    if (await attempt(() => api.admin.mcpServers.refresh({ path: { id } }))) toast(t('refreshed'));
    setIsBusy(false);
    onChange();
  };
  return (
    <Button icon="refresh" busy={isBusy} onClick={() => void refresh()}>
      {t('refresh')}
    </Button>
  );
}

function ServerFacts({ server }: { server: McpServerDto }): JSX.Element {
  return (
    <section class="card stack tight">
      <Facts
        facts={[
          [admin('status'), <ServerBadge key="status" server={server} />],
          [t('host'), <span key="host">{hostOf(server.url)}</span>],
          [t('auth'), t(`auth_${server.auth}`)],
          server.listed_at !== null && [t('listed_at'), <Time key="listed" at={server.listed_at} />],
        ]}
      />
      {server.redirect_uri !== null && <FirstConnection label={server.label} redirectUri={server.redirect_uri} />}
      {server.is_active && server.fault !== null && <p class="notice danger">{t(`fault_${server.fault}`)}</p>}
    </section>
  );
}

/**
 * The redirect URI to register at the authorization server, and the connect link. An administrator must connect first,
 * so that the service can read the tools.
 */
function FirstConnection({ label, redirectUri }: { label: string; redirectUri: string }): JSX.Element {
  const connections = useLoad(() => api.connections.list({ query: { limit: 100 } }), [label]);
  const own = connections.data?.find((connection) => connection.label === label);
  return (
    <>
      <Facts
        facts={[
          [company('redirect_uri'), <Address key="redirect" text={redirectUri} label={company('copy_redirect_uri')} />],
          [
            t('users_connect'),
            <Link key="users" href="/account/connections">
              {t('users_connect_place')}
            </Link>,
          ],
        ]}
      />
      {own && !own.connected && (
        <div class="row">
          <Button kind="primary" onClick={() => void connectWith(label)}>
            {questions('connect')}
          </Button>
          <span class="soft">{t('connect_first')}</span>
        </div>
      )}
    </>
  );
}
