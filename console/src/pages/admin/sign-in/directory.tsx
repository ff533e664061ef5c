import type { AdminUserDto, ApiKeyWithTextDto, IdentityProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { NewKeyDialog } from '../../../components/api-keys/key-form';
import { Button } from '../../../components/button';
import { CopyButton } from '../../../components/copy-button';
import { Dialog } from '../../../components/dialog';
import { Form, TextField, textOf } from '../../../components/form/form';

const t = texts('company');
const account = texts('account');
const admin = texts('admin');

/** Setup of a directory that provisions accounts and groups from the provider (SCIM 2.0). */
export function DirectorySection({ provider }: { provider: IdentityProviderDto }): JSX.Element {
  const [isCreating, setIsCreating] = useState(false);
  const [made, setMade] = useState<ApiKeyWithTextDto>();
  // The redirect URI contains the service's base address.
  const address = `${provider.redirect_uri.replace(/\/api\/v1\/.*$/, '')}/scim/v2`;
  const create = async (entries: FormData): Promise<void> => {
    const { id } = await serviceAccount(textOf(entries, 'username').trim());
    const body = {
      name: textOf(entries, 'name'),
      scopes: ['scim' as const],
      identity_provider_id: provider.id,
    };
    setMade((await api.admin.users.createApiKey({ path: { id }, body })).data);
    setIsCreating(false);
  };
  return (
    <section class="card stack">
      <h2>{t('directory')}</h2>
      <p class="soft">{t('directory_text')}</p>
      <span class="row">
        <code class="address">{address}</code>
        <CopyButton label={t('copy_directory_address')} text={() => address} />
      </span>
      <div class="row">
        <Button icon="plus" onClick={() => setIsCreating(true)}>
          {t('new_directory_key')}
        </Button>
      </div>
      {isCreating && (
        <Dialog title={t('new_directory_key')} onClose={() => setIsCreating(false)}>
          <p class="soft">{t('directory_key_text')}</p>
          <Form action={account('create_key')} onSubmit={create}>
            <TextField
              name="name"
              label={admin('name')}
              defaultValue={t('directory_of', { name: provider.name }).slice(0, 64)}
              required
              maxLength={64}
              autoComplete="off"
            />
            <TextField
              name="username"
              label={t('directory_account')}
              hint={t('directory_account_hint')}
              defaultValue={`scim-${provider.slug}`.slice(0, 32)}
              required
              maxLength={32}
              autoComplete="off"
            />
          </Form>
        </Dialog>
      )}
      {made && <NewKeyDialog apiKey={made} onClose={() => setMade(undefined)} />}
    </section>
  );
}

/** Finds the service account of this name, or creates it. */
async function serviceAccount(username: string): Promise<Pick<AdminUserDto, 'id'>> {
  const query = { q: username, user_type: 'service' as const, size: 100 };
  const { data } = await api.admin.users.list({ query });
  const found = data.items.find((user) => user.username === username);
  return found ?? (await api.admin.users.create({ body: { user_type: 'service', username } })).data;
}
