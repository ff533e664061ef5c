import type { CostDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { agentChoices, useAgents } from '../../../components/admin/agents';
import { useGroups } from '../../../components/admin/groups';
import { AgentLink, KeyLink, UserLink } from '../../../components/admin/links';
import { keyEntry, userEntry } from '../../../components/admin/look-ups';
import { choicesOf } from '../../../components/form/choices';
import { Money } from '../../../components/money/money';
import { Page } from '../../../components/page/page';
import { listOf } from '../../../components/table/list-of';
import { period } from '../../../components/table/period';
import { type Column, DataTable } from '../../../components/table/table';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';
import { UsedPrice } from './price-rates';

const t = texts('money');
const admin = texts('admin');

const KINDS = ['reply', 'title', 'compaction', 'trial', 'embedding', 'guard'] as const;

const costs = listOf('costs', api.admin.costs, 'list');

/** The ledger: the cost of each provider request. */
export function Costs(): JSX.Element {
  const agents = useAgents();
  const groups = useGroups() ?? [];
  return (
    <Page title={admin('page_costs')}>
      <p class="soft">{t('costs_hint')}</p>
      <DataTable
        {...costs}
        label={admin('page_costs')}
        filters={[
          ...period(),
          { name: 'user_id', label: admin('user'), entry: userEntry },
          {
            name: 'group_id',
            label: t('scope_group'),
            choices: groups.map(({ id, name }) => ({ value: String(id), label: name })),
          },
          { name: 'agent_id', label: admin('agent'), choices: agentChoices(agents) },
          { name: 'api_key_id', label: t('scope_api_key'), entry: keyEntry },
          { name: 'provider', label: t('provider') },
          { name: 'model', label: admin('model') },
          { name: 'kind', label: t('mode'), choices: choicesOf(KINDS, (kind) => t(`kind_${kind}`)) },
        ]}
        columns={COLUMNS()}
        rowKey={({ id }) => id}
        empty={<p>{t('no_costs')}</p>}
      />
    </Page>
  );
}

const COLUMNS = (): Column<CostDto>[] => [
  { name: 'at', label: admin('time'), cell: ({ at }) => <Time at={at} /> },
  {
    name: 'cost',
    label: admin('cost'),
    isNumber: true,
    cell: ({ cost, currency }) => <Money amount={cost} currency={currency} />,
  },
  { name: 'price', label: t('price'), cell: ({ price, currency }) => <UsedPrice price={price} currency={currency} /> },
  {
    name: 'prompt_tokens',
    label: admin('prompt_tokens'),
    isNumber: true,
    cell: (row) => formatNumber(row.prompt_tokens),
  },
  {
    name: 'completion_tokens',
    label: admin('completion_tokens'),
    isNumber: true,
    cell: (row) => formatNumber(row.completion_tokens),
  },
  {
    name: 'model',
    label: admin('model'),
    cell: ({ provider, model }) => <UserText>{`${provider} · ${model}`}</UserText>,
  },
  { name: 'kind', label: t('mode'), cell: ({ kind }) => t(`kind_${kind}`) },
  { name: 'user', label: admin('user'), cell: ({ user }) => user && <UserLink id={user.id} name={user.username} /> },
  { name: 'agent', label: admin('agent'), cell: ({ agent }) => agent && <Agent {...agent} /> },
  {
    name: 'api_key',
    label: t('scope_api_key'),
    cell: ({ api_key: key }) =>
      key && (
        <KeyLink id={key.id}>
          <UserText>{key.name ?? `#${key.id}`}</UserText>
        </KeyLink>
      ),
  },
  {
    name: 'chat',
    label: admin('chat'),
    cell: ({ chat_id }) => chat_id !== null && <Link href={`/admin/chats/${chat_id}`}>#{chat_id}</Link>,
  },
];

function Agent({ id, name }: NonNullable<CostDto['agent']>): JSX.Element {
  return <AgentLink id={id} agents={name === null ? [] : [{ id, name }]} />;
}
