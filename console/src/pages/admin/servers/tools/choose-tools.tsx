import { type AgentAdminDto, isApiError, type McpServerDto, type McpToolDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../../app/api';
import { texts } from '../../../../app/i18n/languages';
import { toast } from '../../../../app/toasts';
import { useLoad } from '../../../../app/use-load';
import { visibleText } from '../../../../components/acting/visible-json';
import { useAgents } from '../../../../components/admin/agents';
import { Dialog } from '../../../../components/dialog';
import { EntryError } from '../../../../components/form/faults';
import { Checkbox, CheckboxGroup, Form } from '../../../../components/form/form';
import { Empty, Show } from '../../../../components/states';
import { DefinitionView } from './definition-view';
import { isChanged, mayBeApproved, Problems, ToolBadge } from './tool-state';

const t = texts('servers');
const shell = texts('shell');

interface ChooseToolsProps {
  server: Pick<McpServerDto, 'id' | 'label'>;
  onClose: () => void;
  onChange: () => void;
}

/** Approves several tools of a server, and adds them to agents. */
export function ChooseTools({ server: { id, label }, onClose, onChange }: ChooseToolsProps): JSX.Element {
  const loaded = useLoad(() => usableTools(id), [id]);
  const agents = useAgents();
  const [chosen, setChosen] = useState<readonly string[]>([]);

  const save = async (entries: FormData): Promise<void> => {
    const tools = (loaded.data ?? []).filter(({ name }) => chosen.includes(name));
    if (tools.length === 0) throw new EntryError('tools', shell('fault_required'));
    const users = entries.getAll('agents').map(Number);
    try {
      for (const { name, state, pin } of tools) {
        if (state === 'approved') continue;
        await api.admin.mcpServers.decide({ path: { id, name }, body: { state: 'approved', pin } });
      }
      for (const agent of users) await addTools(agent, tools);
    } catch (error) {
      // The list shows what has been approved, and a tool that has changed is shown as it is now.
      if (isApiError(error)) loaded.reload();
      onChange();
      throw error;
    }
    onClose();
    onChange();
    toast(t('tools_chosen', { tools: tools.length, agents: users.length }));
  };

  return (
    <Dialog title={t('choose_tools_title', { label })} onClose={onClose}>
      <Show loaded={loaded}>
        {(tools) =>
          tools.length === 0 ? (
            <Empty>
              <p>{t('no_tools')}</p>
            </Empty>
          ) : (
            <Form action={t('approve')} onSubmit={save}>
              <CheckboxGroup name="tools" label={t('tools')} hint={t('choose_tools_hint')}>
                <Tools tools={tools} chosen={chosen} onChoose={setChosen} />
              </CheckboxGroup>
              {agents.length > 0 && (
                <CheckboxGroup name="agents" label={t('for_agents')} hint={t('for_agents_hint')}>
                  <div class="choice-list">
                    {agents.map((agent) => (
                      <Checkbox key={agent.id} name="agents" value={String(agent.id)} label={agent.name} />
                    ))}
                  </div>
                </CheckboxGroup>
              )}
            </Form>
          )
        }
      </Show>
    </Dialog>
  );
}

interface ToolsProps {
  tools: McpToolDto[];
  /** Names of the selected tools. */
  chosen: readonly string[];
  onChoose: (names: readonly string[]) => void;
}

function Tools({ tools, chosen, onChoose }: ToolsProps): JSX.Element {
  const names = tools.map(({ name }) => name);
  return (
    <>
      {tools.length > 1 && (
        <label class="check">
          <input
            type="checkbox"
            checked={names.every((name) => chosen.includes(name))}
            onChange={(event) => onChoose(event.currentTarget.checked ? names : [])}
          />
          <strong>{t('choose_all_tools')}</strong>
        </label>
      )}
      <div class="choice-list">
        {tools.map((tool) => (
          <div key={tool.name} class="tool-choice">
            <label class="check">
              <input
                type="checkbox"
                name="tools"
                value={tool.name}
                checked={chosen.includes(tool.name)}
                onChange={(event) =>
                  onChoose(
                    event.currentTarget.checked ? [...chosen, tool.name] : chosen.filter((name) => name !== tool.name),
                  )
                }
              />
              <code>{visibleText(tool.name)}</code>
              {tool.state === 'approved' || isChanged(tool) ? <ToolBadge tool={tool} /> : null}
            </label>
            <Definition tool={tool} />
          </div>
        ))}
      </div>
    </>
  );
}

function Definition({ tool }: { tool: McpToolDto }): JSX.Element {
  const { definition, approved_definition } = tool;
  const { description } = (definition ?? {}) as { description?: unknown };
  return (
    <>
      {typeof description === 'string' && (
        <p class="hint">
          <bdi>{visibleText(description)}</bdi>
        </p>
      )}
      <Problems tool={tool} />
      <details>
        <summary>{t('definition')}</summary>
        <DefinitionView present={definition} approved={isChanged(tool) ? approved_definition : null} />
      </details>
    </>
  );
}

/** The tools that are approved or can be approved. */
async function usableTools(id: number): Promise<McpToolDto[]> {
  const tools: McpToolDto[] = [];
  for await (const tool of api.admin.mcpServers.tools({ path: { id }, query: { size: 100 } })) {
    if (tool.state === 'approved' || (tool.state === 'quarantined' && mayBeApproved(tool))) tools.push(tool);
  }
  return tools;
}

/** Adds tools to those of an agent. */
async function addTools(id: number, tools: McpToolDto[]): Promise<void> {
  const { data } = await api.agents.read({ path: { id } });
  const agent = data as AgentAdminDto;
  const added = tools.filter(({ told_name }) => agent.tools.every(({ name }) => name !== told_name));
  if (added.length === 0) return;
  const body = { tools: [...agent.tools, ...added.map(({ told_name: name }) => ({ name }))], version: agent.version };
  await api.agents.update({ path: { id }, body });
}
