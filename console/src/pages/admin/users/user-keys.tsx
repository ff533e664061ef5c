import type { AdminUserDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { keyColumns } from '../../../components/api-keys/key-columns';
import { KeyFormDialog } from '../../../components/api-keys/key-form';
import { Button } from '../../../components/button';
import { listOf } from '../../../components/table/list-of';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';

const t = texts('manage');
const admin = texts('admin');

const keys = listOf('api-keys', api.admin.apiKeys, 'list');

/** The API keys of an account. Administrators can create keys only for service accounts. */
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
        <KeyFormDialog
          create={async (body) => (await api.admin.users.createApiKey({ path: { id: user.id }, body })).data}
          onClose={() => {
            setIsCreating(false);
            change();
          }}
        />
      )}
    </section>
  );
}
