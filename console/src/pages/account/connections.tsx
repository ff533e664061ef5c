import '../../styles/parts/acting.css';
import type { ConnectionDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { connectWith } from '../../components/acting/questions/connecting';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { confirm } from '../../components/dialog';
import { Facts } from '../../components/facts';
import { Page } from '../../components/page/page';
import { Empty, Show } from '../../components/states';
import { Time } from '../../components/time';
import { UserText } from '../../components/user-text';

const t = texts('questions');
const account = texts('account');

/** The MCP servers at which the user has connected an account. */
export function Connections(): JSX.Element {
  const loaded = useLoad(() => api.connections.list({ query: { limit: 100 } }), []);
  return (
    <Page title={account('connections')}>
      <p class="soft">{t('connections_text')}</p>
      <Show loaded={loaded}>
        {(connections) =>
          connections.length === 0 ? (
            <Empty>{t('no_connections')}</Empty>
          ) : (
            <ul class="approvals">
              {connections.map((connection) => (
                <Connection key={connection.label} connection={connection} onChange={loaded.reload} />
              ))}
            </ul>
          )
        }
      </Show>
    </Page>
  );
}

function Connection({ connection, onChange }: { connection: ConnectionDto; onChange: () => void }): JSX.Element {
  const { label, name, host, connected, account: there, scopes, connected_at: since, sign_in: signIn } = connection;
  const isCompany = signIn === 'company';
  const [isBusy, setIsBusy] = useState(false);
  const connect = async (): Promise<void> => {
    setIsBusy(true);
    if (!(await connectWith(label))) setIsBusy(false);
  };
  const disconnect = async (): Promise<void> => {
    const question = { title: t('disconnect_title', { name }), text: t('disconnect_text') };
    if (!(await confirm({ ...question, action: t('disconnect'), isDangerous: true }))) return;
    if (await attempt(() => api.connections.remove({ path: { label } }))) toast(t('disconnected', { name }));
    onChange();
  };
  return (
    <li class="card stack tight">
      <div class="row spread">
        <h2>
          <UserText>{name}</UserText> {connected && <Badge tone="success">{t('is_connected')}</Badge>}
        </h2>
        {connected && !isCompany && (
          <Button onClick={() => void disconnect()} aria-label={`${t('disconnect')}: ${name}`}>
            {t('disconnect')}
          </Button>
        )}
        {!connected && (
          <Button
            kind="primary"
            busy={isBusy}
            onClick={() => void connect()}
            aria-label={isCompany ? `${t('sign_in_again')}: ${name}` : t('connect_title', { name })}
          >
            {t(isCompany ? 'sign_in_again' : 'connect')}
          </Button>
        )}
      </div>
      {isCompany && <p class="soft">{t('by_company')}</p>}
      <Facts
        facts={[
          [t('host'), <span key="host">{host}</span>],
          there && [t('account'), <UserText key="account">{there}</UserText>],
          connected &&
            scopes.length > 0 && [
              t('allowed'),
              <span key="scopes" class="row tight">
                {scopes.map((scope) => (
                  <Badge key={scope} isCode>
                    {scope}
                  </Badge>
                ))}
              </span>,
            ],
          since && [t('since'), <Time key="since" at={since} />],
        ]}
      />
    </li>
  );
}
