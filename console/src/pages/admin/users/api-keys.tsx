import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { userEntry } from '../../../components/admin/look-ups';
import { keyColumns } from '../../../components/api-keys/key-columns';
import { choicesOf } from '../../../components/form/choices';
import { Page } from '../../../components/page/page';
import { choosable } from '../../../components/table/choosing';
import { listOf } from '../../../components/table/list-of';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';

const t = texts('admin');

const keys = listOf('api-keys', api.admin.apiKeys, 'list');

export function Keys(): JSX.Element {
  const [version, change] = useVersion();
  return (
    <Page title={t('page_keys')}>
      <DataTable
        {...keys}
        label={t('page_keys')}
        version={version}
        filters={[
          { name: 'q', label: t('key_search') },
          { name: 'user_id', label: t('owner'), entry: userEntry },
          {
            name: 'status',
            label: t('status'),
            choices: choicesOf(['active', 'suspended', 'expired', 'revoked'], (name) => t(`key_${name}`)),
          },
          { name: 'beyond_max_days', label: t('key_life'), choices: [{ value: 'true', label: t('key_beyond') }] },
        ]}
        columns={keyColumns(change)}
        rowKey={({ id }) => id}
        draw={choosable(
          [
            {
              label: t('revoke'),
              hint: t('revoke_hint'),
              isDangerous: true,
              fits: ({ status }) => status !== 'revoked',
              run: ({ id }) => api.admin.apiKeys.revoke({ path: { id } }),
            },
          ],
          ({ name, last_four }) => `${name} …${last_four}`,
        )}
        empty={<p>{t('no_keys')}</p>}
      />
    </Page>
  );
}
