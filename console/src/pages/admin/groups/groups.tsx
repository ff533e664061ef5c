import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { Button } from '../../../components/button';
import { Page } from '../../../components/page/page';
import { DataTable } from '../../../components/table/table';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';
import { GroupDialog } from './group-dialog';

const t = texts('company');
const admin = texts('admin');
const manage = texts('manage');

/** The parameters come from the page's address. The service validates them. */
type Query = NonNullable<Parameters<typeof api.admin.groups.list>[0]>['query'];

/** All groups, which control access to agents. Administrators or a directory maintain them. */
export function Groups(): JSX.Element {
  const [, navigate] = useLocation();
  const [isCreating, setIsCreating] = useState(false);
  return (
    <Page
      title={admin('page_groups')}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
          {t('new_group')}
        </Button>
      }
    >
      <p class="soft">{t('groups_text')}</p>
      <DataTable
        label={admin('page_groups')}
        load={async (query) => (await api.admin.groups.list({ query: query as Query })).data}
        filters={[{ name: 'q', label: t('group_search') }]}
        columns={[
          {
            name: 'name',
            label: admin('name'),
            cell: ({ id, name }) => (
              <Link href={`/admin/groups/${id}`}>
                <UserText>{name}</UserText>
              </Link>
            ),
          },
          {
            name: 'description',
            label: manage('description'),
            cell: ({ description }) => <UserText>{description}</UserText>,
          },
          { name: 'managed_by', label: t('managed_by'), cell: ({ managed_by: by }) => t(`source_${by}`) },
          {
            name: 'member_count',
            label: t('members'),
            isNumber: true,
            cell: ({ member_count: count }) => formatNumber(count),
          },
          { name: 'created_at', label: admin('created_at'), cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_groups')}</p>}
      />
      {isCreating && (
        <GroupDialog
          title={t('new_group')}
          action={manage('create')}
          onSave={async (body) => {
            const { data } = await api.admin.groups.create({ body });
            navigate(`/admin/groups/${data.id}`);
            toast(t('group_created', { name: data.name }));
          }}
          onClose={() => setIsCreating(false)}
        />
      )}
    </Page>
  );
}
