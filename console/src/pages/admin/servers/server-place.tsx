import type { McpServerDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { choicesOf } from '../../../components/form/choices';
import { Checkbox, CheckboxGroup, Select, TextField } from '../../../components/form/form';
import { PairRows } from './pair-rows';

const t = texts('servers');
const company = texts('company');

const AUTHS = ['none', 'secret', 'oauth_user', 'oauth_service', 'enterprise'] as const;

const METADATA = ['issuer', 'resource'] as const;
const PKCE_RULES = ['required', 'assumed'] as const;

/** Absent for a new server. */
interface Props {
  server?: McpServerDto;
}

/** The address of the server, and how the service authenticates. */
export function ServerPlace({ server }: Props): JSX.Element {
  const [auth, setAuth] = useState<string>(server?.auth ?? 'none');
  return (
    <section class="card stack">
      <h2>{t('place')}</h2>
      <div class="fields">
        {!server && (
          <TextField
            name="label"
            label={t('label')}
            hint={t('label_hint')}
            required
            pattern="[a-z0-9\-]{1,32}"
            maxLength={32}
            autoComplete="off"
            spellcheck={false}
          />
        )}
        <TextField
          name="url"
          type="url"
          label={t('url')}
          hint={t('url_hint')}
          defaultValue={server?.url}
          required
          maxLength={2_000}
          placeholder="https://mcp.example.com/mcp"
        />
        <Select
          name="auth"
          label={t('auth')}
          hint={t(`auth_${auth as McpServerDto['auth']}_hint`)}
          choices={choicesOf(AUTHS, (name) => t(`auth_${name}`))}
          value={auth}
          onChange={setAuth}
        />
        {auth !== 'none' && <Credentials server={server} auth={auth} />}
      </div>
      <Headers server={server} />
    </section>
  );
}

function Credentials({ server, auth }: Props & { auth: string }): JSX.Element {
  const isOAuth = auth !== 'secret';
  const isRequired = auth === 'oauth_service' || auth === 'enterprise';
  const [removesSecret, setRemovesSecret] = useState(false);
  return (
    <>
      {isOAuth && (
        <TextField
          name="client_id"
          label={company('client_id')}
          hint={t(isRequired ? 'client_id_required_hint' : 'client_id_hint')}
          required={isRequired}
          defaultValue={server?.client_id ?? ''}
          maxLength={255}
          autoComplete="off"
        />
      )}
      <div class="stack tight">
        <TextField
          name="client_secret"
          type="password"
          label={t('secret')}
          hint={t(server?.has_client_secret ? 'secret_kept' : 'secret_hint')}
          disabled={removesSecret}
          maxLength={4_096}
          autoComplete="new-password"
        />
        {server?.has_client_secret && (
          <Checkbox
            name="removes_secret"
            label={company('remove_secret')}
            checked={removesSecret}
            onChange={setRemovesSecret}
          />
        )}
      </div>
      {isOAuth && <AuthorizationServer server={server} />}
    </>
  );
}

/** The requested scopes, and overrides for the server's metadata. */
function AuthorizationServer({ server }: Props): JSX.Element {
  return (
    <>
      <TextField
        name="scopes"
        label={company('scopes')}
        hint={t('scopes_hint')}
        defaultValue={server?.scopes.join(' ')}
        autoComplete="off"
      />
      {METADATA.map((name) => (
        <TextField
          key={name}
          name={name}
          label={t(name)}
          hint={t(`${name}_hint`)}
          defaultValue={server?.[name] ?? ''}
          maxLength={2_000}
          autoComplete="off"
          spellcheck={false}
        />
      ))}
      <Select
        name="pkce"
        label={t('pkce')}
        choices={choicesOf(PKCE_RULES, (rule) => t(`pkce_${rule}`))}
        value={server?.pkce ?? 'required'}
      />
    </>
  );
}

/** The service never returns header values, so all headers must be set again together. */
function Headers({ server }: Props): JSX.Element {
  const names = server?.headers ?? [];
  const [isSetAnew, setIsSetAnew] = useState(server === undefined);
  return (
    <CheckboxGroup name="headers" label={t('headers')} hint={t('headers_hint')}>
      {names.length > 0 && (
        <p class="row tight">
          {names.map((name) => (
            <Badge key={name} isCode>
              {name}
            </Badge>
          ))}
        </p>
      )}
      {isSetAnew ? (
        <>
          <input type="hidden" name="headers" />
          <PairRows
            prefix="header"
            names={[]}
            nameLabel={t('header_name')}
            addLabel={t('add_header')}
            value={() => (
              <TextField
                name="header.value"
                type="password"
                label={t('header_value')}
                required
                maxLength={4_096}
                autoComplete="new-password"
              />
            )}
          />
        </>
      ) : (
        <div class="row">
          <Button icon="edit" onClick={() => setIsSetAnew(true)}>
            {t('set_headers')}
          </Button>
        </div>
      )}
    </CheckboxGroup>
  );
}
