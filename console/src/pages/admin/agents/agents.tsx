import type { AgentAdminDto, AgentDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api, saveFile } from '../../../app/api';
import { formatNumber, formatShort } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { choicesOf } from '../../../components/form/choices';
import { Icon } from '../../../components/icon';
import { Page } from '../../../components/page/page';
import { listOf } from '../../../components/table/list-of';
import { DataTable, type TablePage } from '../../../components/table/table';
import type { TableQuery } from '../../../components/table/table-query';
import { useVersion } from '../../../components/table/use-version';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';
import { ImportAgents } from './agents-import';

const t = texts('manage');
const admin = texts('admin');

export const AGENT_STATUSES = ['active', 'draft', 'disabled'] as const;
export const ACCESS_LEVELS = ['free', 'paid', 'groups'] as const;

const TONES = { active: 'success', draft: 'warning', disabled: '' } as const;

const agents = listOf('agents', api.agents, 'list');

/** Administrators get more fields of an agent than other users, so the type is narrowed here. */
async function readAgents(query: TableQuery): Promise<TablePage<AgentAdminDto>> {
  const { items, pagination } = await agents.load(query);
  return { items: items.filter(isForAdministrators), pagination };
}

function isForAdministrators(agent: AgentDto | AgentAdminDto): agent is AgentAdminDto {
  return 'stats' in agent;
}

/** All agents with their usage. */
export function Agents(): JSX.Element {
  const [version, change] = useVersion();
  const [isImporting, setIsImporting] = useState(false);
  const exportAll = async (): Promise<void> => {
    const { data } = await api.agents.export();
    saveFile(`${JSON.stringify(data, null, 2)}\n`, 'agents.json');
  };
  return (
    <Page
      title={admin('page_agents')}
      actions={
        <>
          <Button icon="download" onClick={() => void attempt(exportAll)}>
            {t('export_json')}
          </Button>
          <Button icon="upload" onClick={() => setIsImporting(true)}>
            {t('import_json')}
          </Button>
          <Link href="/admin/agents/new" class="button primary">
            <Icon name="plus" />
            {t('create_agent')}
          </Link>
        </>
      }
    >
      <DataTable
        {...agents}
        load={readAgents}
        label={admin('page_agents')}
        version={version}
        filters={[
          { name: 'q', label: t('agent_search') },
          { name: 'category', label: t('category') },
          {
            name: 'access_level',
            label: t('access_level'),
            choices: choicesOf(ACCESS_LEVELS, (name) => t(`access_${name}`)),
          },
          { name: 'status', label: admin('status'), choices: choicesOf(AGENT_STATUSES, (name) => t(`agent_${name}`)) },
        ]}
        columns={[
          {
            name: 'name',
            label: admin('name'),
            isSortable: true,
            cell: ({ id, name, is_default }) => (
              <>
                <Link href={`/admin/agents/${id}`}>
                  <UserText>{name}</UserText>
                </Link>{' '}
                {is_default && <Badge tone="accent">{t('default')}</Badge>}
              </>
            ),
          },
          {
            name: 'status',
            label: admin('status'),
            cell: ({ status }) => <Badge tone={TONES[status]}>{t(`agent_${status}`)}</Badge>,
          },
          { name: 'category', label: t('category'), cell: ({ category }) => <UserText>{category}</UserText> },
          { name: 'access', label: t('access_level'), cell: ({ access_level }) => t(`access_${access_level}`) },
          {
            name: 'model',
            label: admin('model'),
            cell: ({ provider, model }) => <UserText>{[provider, model].filter(Boolean).join(': ')}</UserText>,
          },
          { name: 'chats', label: admin('page_chats'), isNumber: true, cell: ({ stats }) => formatNumber(stats.chats) },
          { name: 'tokens', label: admin('tokens'), isNumber: true, cell: ({ stats }) => formatShort(stats.tokens) },
          {
            name: 'ratings',
            label: t('ratings'),
            isNumber: true,
            cell: ({ stats }) => `+${formatNumber(stats.likes)} −${formatNumber(stats.dislikes)}`,
          },
          {
            name: 'sort_order',
            label: t('sort_order'),
            isSortable: true,
            isNumber: true,
            cell: (agent) => String(agent.sort_order),
          },
          {
            name: 'updated_at',
            label: t('updated_at'),
            isSortable: true,
            cell: (agent) => <Time at={agent.updated_at} />,
          },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_agents')}</p>}
      />
      {isImporting && <ImportAgents onClose={() => setIsImporting(false)} onChange={change} />}
    </Page>
  );
}
