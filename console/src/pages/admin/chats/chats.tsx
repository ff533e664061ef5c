import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { agentChoices, useAgents } from '../../../components/admin/agents';
import { AgentLink, UserLink } from '../../../components/admin/links';
import { userEntry } from '../../../components/admin/look-ups';
import { Page } from '../../../components/page/page';
import { listOf } from '../../../components/table/list-of';
import { period } from '../../../components/table/period';
import { DataTable } from '../../../components/table/table';
import { Time } from '../../../components/time';

const t = texts('admin');

const chats = listOf('chats', api.admin.chats, 'list');

/** The chats of all users, without message content. */
export function Chats(): JSX.Element {
  const agents = useAgents();
  return (
    <Page title={t('page_chats')}>
      <p class="soft">{t('chats_hint')}</p>
      <DataTable
        {...chats}
        label={t('page_chats')}
        filters={[
          { name: 'user_id', label: t('user'), entry: userEntry },
          { name: 'agent_id', label: t('agent'), choices: agentChoices(agents) },
          ...period(),
        ]}
        columns={[
          {
            name: 'id',
            label: t('chat'),
            isSortable: true,
            cell: ({ id }) => <Link href={`/admin/chats/${id}`}>#{id}</Link>,
          },
          {
            name: 'user',
            label: t('user'),
            cell: ({ user_id, username }) => <UserLink id={user_id} name={username} />,
          },
          { name: 'agent', label: t('agent'), cell: ({ agent_id }) => <AgentLink id={agent_id} agents={agents} /> },
          {
            name: 'messages',
            label: t('messages'),
            isNumber: true,
            cell: ({ message_count }) => formatNumber(message_count),
          },
          {
            name: 'created_at',
            label: t('created_at'),
            isSortable: true,
            cell: ({ created_at }) => <Time at={created_at} />,
          },
          { name: 'last', label: t('last_message'), cell: ({ last_message_at }) => <Time at={last_message_at} /> },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_chats')}</p>}
      />
    </Page>
  );
}
