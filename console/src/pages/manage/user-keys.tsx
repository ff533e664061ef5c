import type { AdminApiKeyDto, AdminUserDto, CreateApiKeyDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../api';
import { texts } from '../../languages';
import { Button } from '../../parts/button';
import { Dialog } from '../../parts/dialog';
import { Checkbox, Form, TextField, textOf } from '../../parts/form';
import { DataTable } from '../../parts/table';
import { attempt, toast } from '../../parts/toast';
import { instantOf } from '../admin/entries';
import { keyColumns } from '../admin/key-columns';
import { listOf } from '../admin/lists';
import { useVersion } from '../admin/shared';

const t = texts('manage');
const admin = texts('admin');
const shell = texts('shell');

const SCOPES: CreateApiKeyDto['scopes'] = [
  'chat:read',
  'chat:write',
  'agents:read',
  'agents:write',
  'usage:read',
  'webhooks',
  'openai',
  'admin:read',
  'admin:write',
];

const keys = listOf<AdminApiKeyDto>('api-keys', (request) => api.admin.apiKeys.list(request));

/** The API keys of an account; administrators make them for service accounts only. */
export function UserKeys({ user }: { user: AdminUserDto }): JSX.Element {
  const [version, change] = useVersion();
  const [isCreating, setIsCreating] = useState(false);
  const isService = user.user_type === 'service';
  return (
    <section class="stack">
      <div class="row spread">
        <h2>{admin('page_keys')}</h2>
        {isService && (
          <Button icon="plus" onClick={() => setIsCreating(true)}>
            {t('create_key')}
          </Button>
        )}
      </div>
      <DataTable
        label={admin('page_keys')}
        load={(query) => keys.load({ ...query, user_id: String(user.id) })}
        version={version}
        columns={keyColumns(change).filter(({ name }) => name !== 'user_id')}
        rowKey={({ id }) => id}
        empty={<p>{t(isService ? 'no_service_keys' : 'no_own_keys')}</p>}
      />
      {isCreating && (
        <CreateKey
          userId={user.id}
          onClose={() => {
            setIsCreating(false);
            change();
          }}
        />
      )}
    </section>
  );
}

function CreateKey({ userId, onClose }: { userId: number; onClose: () => void }): JSX.Element {
  const [key, setKey] = useState<string>();
  const create = async (entries: FormData): Promise<void> => {
    const { data } = await api.admin.users.createApiKey({
      path: { id: userId },
      body: {
        name: textOf(entries, 'name'),
        scopes: entries.getAll('scopes') as CreateApiKeyDto['scopes'],
        expires_at: instantOf(entries, 'expires_at'),
      },
    });
    setKey(data.key);
  };
  return (
    <Dialog title={t('create_key')} onClose={onClose}>
      {key ? (
        <>
          <p class="notice warning" role="status">
            {t('key_once')}
          </p>
          <p class="secret">
            <code>{key}</code>
          </p>
          <div class="row">
            <Button
              kind="primary"
              icon="copy"
              onClick={() =>
                void attempt(() => navigator.clipboard.writeText(key)).then((done) => done && toast(shell('copied')))
              }
            >
              {shell('copy')}
            </Button>
            <Button onClick={onClose}>{shell('close')}</Button>
          </div>
        </>
      ) : (
        <Form action={t('create')} onSubmit={create}>
          <TextField name="name" label={admin('name')} required maxLength={64} autoComplete="off" />
          <fieldset class="checks">
            <legend>{admin('scopes')}</legend>
            {SCOPES.map((scope) => (
              <Checkbox key={scope} name="scopes" value={scope} label={scope} />
            ))}
          </fieldset>
          <TextField name="expires_at" type="datetime-local" label={admin('expires_at')} hint={t('key_end_hint')} />
        </Form>
      )}
    </Dialog>
  );
}
