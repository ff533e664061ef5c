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

/** A description is shortened to this length in the table. */
const SHORT = 160;

interface ToolsProps {
  server: McpServerDto;
  /** A change reloads the tools. */
  version: number;
  onChange: () => void;
  /** Called after the first attempt of the service to read the tool list. */
  onRead: () => void;
}

/** The tools of an MCP server, with the approval state of each. */
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

/** The tool's description, and whether it has problems. */
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

/**
 * Decisions include the pin of the version in the table, so the service refuses those about a tool that has changed
 * since.
 */
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
