import type { RetentionPolicyDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { Menu } from '../../../components/menu';
import { Page } from '../../../components/page/page';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';
import { KINDS, PolicyForm } from './policy-form';
import { Preview } from './preview';
import { Sweeps } from './sweeps';

const t = texts('retention');
const admin = texts('admin');
const manage = texts('manage');

/** Most groups whose names the page reads at once. */
const MOST_GROUPS = 100;

/** The policies, what they would delete now, and the sweeps. */
export function Retention(): JSX.Element {
  const [version, change] = useVersion();
  const [edited, setEdited] = useState<RetentionPolicyDto | 'new'>();
  const [isPreviewing, preview] = useState(false);
  const groups = useLoad(async () => (await api.admin.groups.list({ query: { size: MOST_GROUPS } })).data.items, []);
  const nameOf = (id: number | null): string =>
    id === null ? t('service') : (groups.data?.find((group) => group.id === id)?.name ?? `#${id}`);
  return (
    <Page
      title={admin('page_retention')}
      actions={
        <>
          <Button onClick={() => preview(true)}>{t('preview')}</Button>
          <Button kind="primary" icon="plus" onClick={() => setEdited('new')}>
            {t('new_policy')}
          </Button>
        </>
      }
    >
      <p class="soft">{t('hint')}</p>
      <DataTable
        label={admin('page_retention')}
        version={version}
        // The parameters come from the page's address. The service validates them.
        load={async (query) => (await api.admin.retention.list({ query: query as object })).data}
        filters={[{ name: 'kind', label: t('kind'), choices: choicesOf(KINDS, (kind) => t(`kind_${kind}`)) }]}
        columns={[
          { name: 'kind', label: t('kind'), cell: (policy) => <Kind policy={policy} /> },
          { name: 'scope', label: t('scope'), cell: ({ scope_id }) => <UserText>{nameOf(scope_id)}</UserText> },
          { name: 'days', label: t('kept'), cell: (policy) => <Period policy={policy} /> },
          {
            name: 'actions',
            label: admin('actions'),
            cell: (policy) => (
              <Menu
                label={manage('actions_of', { name: `${t(`kind_${policy.kind}`)} · ${nameOf(policy.scope_id)}` })}
                items={[
                  { label: manage('edit'), icon: 'edit', onSelect: () => setEdited(policy) },
                  {
                    label: manage('delete'),
                    icon: 'trash',
                    isDangerous: true,
                    onSelect: () => void remove(policy).then(change),
                  },
                ]}
              />
            ),
          },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_policies')}</p>}
      />
      <Sweeps onStarted={change} version={version} />
      {edited && (
        <PolicyForm
          policy={edited === 'new' ? undefined : edited}
          onClose={() => {
            setEdited(undefined);
            change();
          }}
        />
      )}
      {isPreviewing && <Preview onClose={() => preview(false)} />}
    </Page>
  );
}

function Kind({ policy: { kind, note } }: { policy: RetentionPolicyDto }): JSX.Element {
  return (
    <div class="stack tight">
      <strong>{t(`kind_${kind}`)}</strong>
      {note && (
        <span class="soft">
          <UserText>{note}</UserText>
        </span>
      )}
    </div>
  );
}

function Period({ policy: { days, effective_at } }: { policy: RetentionPolicyDto }): JSX.Element {
  const isPending = Date.parse(effective_at) > Date.now();
  return (
    <div class="stack tight">
      <span>{days === null ? t('for_ever') : t('days', { count: days })}</span>
      {isPending && (
        <span class="row tight">
          <Badge tone="warning">{t('pending')}</Badge>
          <Time at={effective_at} />
        </span>
      )}
    </div>
  );
}

async function remove({ id, kind }: RetentionPolicyDto): Promise<void> {
  const question = {
    title: t('delete_title', { kind: t(`kind_${kind}`) }),
    text: t('delete_hint'),
    action: manage('delete'),
  };
  if (!(await confirm({ ...question, isDangerous: true }))) return;
  if (await attempt(() => api.admin.retention.remove({ path: { id } }))) toast(t('policy_deleted'));
}
