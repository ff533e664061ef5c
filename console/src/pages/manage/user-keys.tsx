import type { AdminApiKeyDto, AdminUserDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../api';
import { texts } from '../../languages';
import { Button } from '../../parts/button';
import { DataTable } from '../../parts/table';
import { KeyFormDialog } from '../account/key-form';
import { keyColumns } from '../admin/key-columns';
import { listOf } from '../admin/lists';
import { useVersion } from '../admin/shared';

const t = texts('manage');
const admin = texts('admin');

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
