import type { IdentityProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { choicesOf } from '../../../components/form/choices';
import { Checkbox, Select, TextArea, TextField } from '../../../components/form/form';
import { Mappings } from './mappings';
import { hoursOf } from './provider-entries';

const t = texts('company');
const admin = texts('admin');

/** Absent for a new provider. */
interface Props {
  provider?: IdentityProviderDto;
}

/** All settings of an identity provider, by topic. */
export function ProviderFields({ provider }: Props): JSX.Element {
  return (
    <>
      <Registration provider={provider} />
      <Admission provider={provider} />
      <Claims provider={provider} />
      <Sessions provider={provider} />
    </>
  );
}

/** Client id and secret of this service at the provider. */
function Registration({ provider }: Props): JSX.Element {
  const [removesSecret, setRemovesSecret] = useState(false);
  const isSet = (name: string): boolean => provider?.environment_fields.includes(name) === true;
  return (
    <section class="card stack">
      <h2>{t('registration')}</h2>
      {provider?.managed_by === 'environment' && <p class="notice">{t('environment_text')}</p>}
      <div class="fields">
        {!provider && (
          <TextField
            name="slug"
            label={t('slug')}
            hint={t('slug_hint')}
            required
            pattern="[a-z0-9\-]{1,32}"
            maxLength={32}
            autoComplete="off"
          />
        )}
        <TextField
          name="name"
          label={admin('name')}
          hint={t('name_hint')}
          defaultValue={provider?.name}
          disabled={isSet('name')}
          required
          maxLength={100}
          autoComplete="off"
        />
        <TextField
          name="issuer"
          type="url"
          label={t('issuer')}
          hint={t('issuer_hint')}
          defaultValue={provider?.issuer}
          disabled={isSet('issuer')}
          required
          placeholder="https://login.example.com"
        />
        <TextField
          name="client_id"
          label={t('client_id')}
          hint={t('client_id_hint')}
          defaultValue={provider?.client_id}
          disabled={isSet('client_id')}
          required
          maxLength={255}
          autoComplete="off"
        />
        <TextField
          name="client_secret"
          type="password"
          label={t('client_secret')}
          hint={t(provider?.has_client_secret ? 'client_secret_kept' : 'client_secret_hint')}
          disabled={isSet('client_secret') || removesSecret}
          autoComplete="new-password"
        />
        <TextField
          name="scopes"
          label={t('scopes')}
          hint={t('scopes_hint')}
          defaultValue={provider?.scopes ?? 'openid email profile'}
          required
          autoComplete="off"
        />
      </div>
      {provider?.has_client_secret && !isSet('client_secret') && (
        <Checkbox
          name="removes_secret"
          label={t('remove_secret')}
          checked={removesSecret}
          onChange={setRemovesSecret}
        />
      )}
    </section>
  );
}

/** Rules for who may sign in. */
function Admission({ provider }: Props): JSX.Element {
  return (
    <section class="card stack">
      <h2>{t('admission')}</h2>
      <div class="fields">
        <Select
          name="jit"
          label={t('jit')}
          hint={t('jit_hint')}
          choices={choicesOf(['off', 'domains', 'all'] as const, (rule) => t(`jit_${rule}`))}
          value={provider?.jit ?? 'off'}
        />
        <TextArea
          name="allowed_domains"
          label={t('allowed_domains')}
          hint={t('allowed_domains_hint')}
          rows={2}
          defaultValue={provider?.allowed_domains.join('\n')}
        />
        <TextArea
          name="required_groups"
          label={t('required_groups')}
          hint={t('required_groups_hint')}
          rows={2}
          defaultValue={provider?.required_groups.join('\n')}
        />
      </div>
      <Checkbox name="email_trusted" label={t('email_trusted')} checked={provider?.email_trusted} />
      <p class="soft">{t('email_trusted_hint')}</p>
    </section>
  );
}

/** The claims to read, and the rights that they grant. */
function Claims({ provider }: Props): JSX.Element {
  const claims = provider?.claims ?? { email: 'email', name: 'name', groups: 'groups' };
  return (
    <section class="card stack">
      <h2>{t('claims')}</h2>
      <p class="soft">{t('claims_text')}</p>
      <div class="fields">
        {(['email', 'name', 'groups'] as const).map((claim) => (
          <TextField
            key={claim}
            name={`claims.${claim}`}
            label={t(`claim_${claim}`)}
            defaultValue={claims[claim]}
            required
            maxLength={255}
            autoComplete="off"
          />
        ))}
        <TextField
          name="scim_match"
          label={t('scim_match')}
          hint={t('scim_match_hint')}
          defaultValue={provider?.scim_match ?? 'sub'}
          required
          maxLength={255}
          autoComplete="off"
        />
        <Select
          name="claim_source"
          label={t('claim_source')}
          choices={choicesOf(['id_token', 'userinfo'] as const, (source) => t(`claim_source_${source}`))}
          value={provider?.claim_source ?? 'id_token'}
        />
        <Select
          name="groups_overage"
          label={t('groups_overage')}
          choices={choicesOf(['refuse', 'keep_last'] as const, (rule) => t(`groups_overage_${rule}`))}
          value={provider?.groups_overage ?? 'refuse'}
        />
      </div>
      <Mappings mappings={provider?.mappings ?? []} />
    </section>
  );
}

/** The lifetime of sessions and API keys, and the use of the provider's tokens. */
function Sessions({ provider }: Props): JSX.Element {
  return (
    <section class="card stack">
      <h2>{t('sessions')}</h2>
      <div class="fields">
        <TextField
          name="session_max_age"
          type="number"
          min={1}
          step="any"
          label={t('session_max_age')}
          hint={t('session_max_age_hint')}
          defaultValue={provider ? hoursOf(provider.session_max_age) : ''}
        />
        <TextField
          name="key_days"
          type="number"
          min={1}
          max={365}
          label={t('key_days')}
          hint={t('key_days_hint')}
          defaultValue={provider?.key_days ?? ''}
        />
        <TextField
          name="accept_tokens.audience"
          label={t('accept_tokens_audience')}
          hint={t('accept_tokens_audience_hint')}
          defaultValue={provider?.accept_tokens?.audience}
          maxLength={255}
          autoComplete="off"
        />
        <TextArea
          name="accept_tokens.authorized_parties"
          label={t('accept_tokens_parties')}
          hint={t('accept_tokens_parties_hint')}
          rows={2}
          defaultValue={provider?.accept_tokens?.authorized_parties.join('\n')}
        />
      </div>
      <Checkbox name="logout" label={t('logout')} checked={provider?.logout === 'rp_initiated'} />
    </section>
  );
}
