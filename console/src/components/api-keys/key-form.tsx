import type { ApiKeyDto, ApiKeyWithTextDto, CreateApiKeyDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { toast } from '../../app/toasts';
import { isAdministrator } from '../../app/visit';
import { Button } from '../button';
import { Dialog } from '../dialog';
import { instantOf, localTime, numberOf } from '../form/entries';
import { Checkbox, CheckboxGroup, Form, TextField, textOf } from '../form/form';
import { Secret } from '../secret';
import { UseWith } from './use-with';

const t = texts('account');
const shell = texts('shell');

type Scope = ApiKeyDto['scopes'][number];

/** The scopes of a key. The last ones are for administrators only. */
const SCOPES: Scope[] = [
  'chat:read',
  'chat:write',
  'actions:decide',
  'agents:read',
  'usage:read',
  'webhooks',
  'openai',
  'anthropic',
];
const ADMINISTRATOR_SCOPES: Scope[] = ['agents:write', 'admin:read', 'admin:write'];

interface KeyFormProps {
  /** The key to edit; absent for a new one. */
  apiKey?: ApiKeyDto;
  /** Creates the key. By default, the key belongs to the user. */
  create?: (body: CreateApiKeyDto) => Promise<ApiKeyWithTextDto>;
  onClose: () => void;
}

export function KeyFormDialog({ apiKey, create = createOwn, onClose }: KeyFormProps): JSX.Element {
  const [made, setMade] = useState<ApiKeyWithTextDto>();
  const save = async (entries: FormData): Promise<void> => {
    const body = bodyOf(entries, apiKey?.expires_at ?? null);
    if (!apiKey) {
      setMade(await create(body));
      return;
    }
    await api.apiKeys.update({ path: { id: apiKey.id }, body });
    toast(t('key_saved'));
    onClose();
  };
  if (made) return <NewKeyDialog apiKey={made} onClose={onClose} />;
  return (
    <Dialog title={apiKey ? t('edit_key') : t('new_key')} onClose={onClose}>
      <Form action={apiKey ? shell('save') : t('create_key')} onSubmit={save}>
        <TextField
          label={t('key_name')}
          name="name"
          hint={t('key_name_hint')}
          defaultValue={apiKey?.name}
          autocomplete="off"
          maxLength={64}
          required
        />
        <ScopeBoxes chosen={apiKey?.scopes ?? []} />
        <TextField
          label={t('expires')}
          name="expires_at"
          hint={t('expires_hint')}
          type="datetime-local"
          defaultValue={localTime(apiKey?.expires_at ?? null)}
        />
        <TextField
          label={t('requests_per_minute')}
          name="requests_per_minute"
          hint={t('own_limit_hint')}
          type="number"
          min={1}
          max={1_000_000}
          defaultValue={apiKey?.requests_per_minute ?? ''}
        />
        <TextField
          label={t('tokens_per_day')}
          name="tokens_per_day"
          hint={t('own_limit_hint')}
          type="number"
          min={1}
          defaultValue={apiKey?.tokens_per_day ?? ''}
        />
      </Form>
    </Dialog>
  );
}

function createOwn(body: CreateApiKeyDto): Promise<ApiKeyWithTextDto> {
  return api.apiKeys.create({ body });
}

function ScopeBoxes({ chosen }: { chosen: Scope[] }): JSX.Element {
  const offered = isAdministrator() ? [...SCOPES, ...ADMINISTRATOR_SCOPES] : SCOPES;
  return (
    <CheckboxGroup label={t('scopes')} name="scopes" hint={t('scopes_hint')}>
      {offered.map((scope) => (
        <Checkbox key={scope} name="scopes" value={scope} label={scopeLabel(scope)} checked={chosen.includes(scope)} />
      ))}
    </CheckboxGroup>
  );
}

function scopeLabel(scope: Scope): string {
  const labels: Record<Scope, string> = {
    'chat:read': t('scope_chat_read'),
    'chat:write': t('scope_chat_write'),
    'actions:decide': t('scope_actions_decide'),
    'agents:read': t('scope_agents_read'),
    'agents:write': t('scope_agents_write'),
    'usage:read': t('scope_usage_read'),
    'knowledge:read': t('scope_knowledge_read'),
    'knowledge:write': t('scope_knowledge_write'),
    webhooks: t('scope_webhooks'),
    openai: t('scope_openai'),
    anthropic: t('scope_anthropic'),
    scim: t('scope_scim'),
    'admin:read': t('scope_admin_read'),
    'admin:write': t('scope_admin_write'),
  };
  return `${labels[scope]} (${scope})`;
}

/** Shows the new key, which the service returns only once. */
export function NewKeyDialog({ apiKey, onClose }: { apiKey: ApiKeyWithTextDto; onClose: () => void }): JSX.Element {
  return (
    <Dialog title={apiKey.name} onClose={onClose}>
      <Secret label={t('key')} value={apiKey.key} warning={t('key_warning')} />
      <UseWith apiKey={apiKey} />
      <div class="row end">
        <Button kind="primary" onClick={onClose}>
          {t('done')}
        </Button>
      </div>
    </Dialog>
  );
}

/** @param end previous expiry of the key */
function bodyOf(entries: FormData, end: string | null): CreateApiKeyDto {
  const wanted = instantOf(entries, 'expires_at');
  return {
    name: textOf(entries, 'name'),
    scopes: entries.getAll('scopes') as Scope[],
    requests_per_minute: numberOf(entries, 'requests_per_minute'),
    tokens_per_day: numberOf(entries, 'tokens_per_day'),
    // The field has no seconds. An unchanged expiry is not sent, so it keeps its seconds and may be in the past.
    ...(localTime(wanted) !== localTime(end) && { expires_at: wanted }),
  };
}
