import type { McpServerDto, McpToolDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../../app/api';
import { texts } from '../../../../app/i18n/languages';
import { visibleText } from '../../../../components/acting/visible-json';
import { Badge } from '../../../../components/badge';
import { Button } from '../../../../components/button';
import { choicesOf } from '../../../../components/form/choices';
import { choosable, type RowAction } from '../../../../components/table/choosing';
import { DataTable } from '../../../../components/table/table';
import { ToolReview } from './tool-review';
import { mayBeApproved, TOOL_STATES, ToolBadge } from './tool-state';

const t = texts('servers');
const admin = texts('admin');

/** So much of a description is enough to know what is meant. */
const SHORT = 160;

interface ToolsProps {
  server: McpServerDto;
  /** Changes when they must be read again. */
  version: number;
  onChange: () => void;
  /** Its list was read for the first time, or could not be. */
  onRead: () => void;
}

/** What a server lists, and what of it agents may use. */
export function ServerTools({ server, version, onChange, onRead }: ToolsProps): JSX.Element {
  const { id, label } = server;
  const [seen, setSeen] = useState<McpToolDto>();
  return (
    <>
      <p class="soft">{t('tools_text', { label })}</p>
      <DataTable
        label={t('tab_tools')}
        version={version}
        load={async ({ page, state }) => {
          const query = { ...(page !== undefined && { page: Number(page) }), ...(state && { state }) };
          const typed = query as { state?: McpToolDto['state'] };
          const { data } = await api.admin.mcpServers.tools({ path: { id }, query: typed });
          if (server.listed_at === null) onRead();
          return data;
        }}
        filters={[
          {
            name: 'state',
            label: admin('status'),
            choices: choicesOf(TOOL_STATES, (state) => t(`state_${state}`)),
          },
        ]}
        columns={[
          {
            name: 'name',
            label: t('tool'),
            cell: ({ name, told_name }) => (
              <>
                <code>{visibleText(name)}</code>
                {told_name !== `${label}__${name}` && (
                  <>
                    <br />
                    <span class="soft">{t('told_as', { name: told_name })}</span>
                  </>
                )}
              </>
            ),
          },
          { name: 'state', label: admin('status'), cell: (tool) => <ToolBadge tool={tool} /> },
          { name: 'description', label: t('member_description'), cell: (tool) => <Description tool={tool} /> },
          {
            name: 'actions',
            label: admin('actions'),
            cell: (tool) => (
              <Button aria-label={`${t('review')}: ${visibleText(tool.name)}`} onClick={() => setSeen(tool)}>
                {t('review')}
              </Button>
            ),
          },
        ]}
        rowKey={({ name }) => name}
        draw={choosable(actionsFor(id), ({ name }) => visibleText(name))}
        empty={<p>{t('no_tools')}</p>}
      />
      {seen && <ToolReview serverId={id} tool={seen} onClose={() => setSeen(undefined)} onChange={onChange} />}
    </>
  );
}

/** What it says it does, and whether something is wrong with it. */
function Description({ tool: { definition, approved_definition, problems } }: { tool: McpToolDto }): JSX.Element {
  const { description } = (definition ?? approved_definition ?? {}) as { description?: unknown };
  const text = typeof description === 'string' ? visibleText(description) : '';
  return (
    <>
      <bdi>{text === '' ? '—' : text.length > SHORT ? `${text.slice(0, SHORT)}…` : text}</bdi>{' '}
      {problems.length > 0 && (
        <Badge tone="danger" icon="warning">
          {t('problems', { count: problems.length })}
        </Badge>
      )}
    </>
  );
}

/** Decisions with the pins of what the table shows: what has changed meanwhile stays as it is. */
function actionsFor(id: number): RowAction<McpToolDto>[] {
  const decide =
    (state: 'approved' | 'blocked') =>
    ({ name, pin }: McpToolDto) =>
      api.admin.mcpServers.decide({ path: { id, name }, body: { state, pin } });
  return [
    { label: t('approve'), hint: t('approve_many_hint'), fits: mayBeApproved, run: decide('approved') },
    {
      label: t('block'),
      hint: t('block_many_hint'),
      isDangerous: true,
      fits: ({ state }) => state === 'quarantined' || state === 'approved',
      run: decide('blocked'),
    },
  ];
}
