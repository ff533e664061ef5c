import type { AgentAdminDto, AgentToolDto, ToolDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { useGroups } from '../../../components/admin/groups';
import { useTools } from '../../../components/admin/tools';
import { choicesOf } from '../../../components/form/choices';
import { Checkbox, CheckboxGroup, Select, TextField } from '../../../components/form/form';
import { Show } from '../../../components/states';

const t = texts('manage');

const POLICIES = ['auto', 'ask', 'deny'] as const;

/** The agent's tools and their approvers. */
export function ToolFields({ agent }: { agent: AgentAdminDto | undefined }): JSX.Element {
  const loaded = useTools();
  const chosen = agent?.tools ?? [];
  return (
    <section class="stack">
      <Show loaded={loaded}>
        {(tools) => {
          const gone = chosen.filter(({ name }) => tools.every((tool) => tool.name !== name));
          return (
            <CheckboxGroup name="tools" label={t('tool_list')} hint={t('tool_tools_hint')}>
              <input type="hidden" name="tools_shown" />
              {tools.map((tool) => (
                <ToolChoice key={tool.name} tool={tool} use={chosen.find(({ name }) => name === tool.name)} />
              ))}
              {gone.map((use) => (
                <ToolChoice key={use.name} tool={null} use={use} />
              ))}
              {tools.length + gone.length === 0 && <p>{t('tool_no_tools')}</p>}
            </CheckboxGroup>
          );
        }}
      </Show>
    </section>
  );
}

/** The limits of a reply that calls tools. */
export function ToolLimits({ agent }: { agent: AgentAdminDto | undefined }): JSX.Element {
  return (
    <div class="fields">
      <TextField
        name="max_rounds"
        type="number"
        min={1}
        max={64}
        label={t('tool_max_rounds')}
        hint={t('tool_max_rounds_hint')}
        defaultValue={agent?.max_rounds ?? ''}
      />
      <TextField
        name="max_calls"
        type="number"
        min={1}
        max={1_000}
        label={t('tool_max_calls')}
        hint={t('tool_max_calls_hint')}
        defaultValue={agent?.max_calls ?? ''}
      />
      <TextField
        name="max_cost_per_run"
        inputMode="decimal"
        label={t('tool_max_cost')}
        hint={t('tool_max_cost_hint')}
        maxLength={25}
        defaultValue={agent?.max_cost_per_run ?? ''}
      />
      <Select
        name="outside_reads"
        label={t('tool_outside_reads')}
        hint={t('tool_outside_reads_hint')}
        choices={choicesOf(['ask', 'auto'] as const, (policy) => t(`tool_policy_${policy}`))}
        value={agent?.outside_reads ?? 'ask'}
      />
    </div>
  );
}

/** @param tool null: the tool no longer exists */
function ToolChoice({ tool, use }: { tool: ToolDto | null; use: AgentToolDto | undefined }): JSX.Element {
  const [isChosen, setIsChosen] = useState(use !== undefined);
  const name = tool?.name ?? use?.name ?? '';
  return (
    <div class="tool-choice">
      <Checkbox name="tools" value={name} label={name} checked={isChosen} onChange={setIsChosen} />
      <p class="hint">{tool?.description ?? t('tool_tool_gone')}</p>
      {isChosen && <ToolRules name={name} use={use} />}
    </div>
  );
}

function ToolRules({ name, use }: { name: string; use: AgentToolDto | undefined }): JSX.Element {
  const groups = useGroups();
  const approvers = [
    { value: 'user', label: t('tool_approver_user') },
    { value: 'admin', label: t('tool_approver_admin') },
    ...(groups ?? []).map((group) => ({
      value: `group:${group.id}`,
      label: t('tool_approver_group', { name: group.name }),
    })),
  ];
  const approver = use?.approver ?? 'user';
  // False while the groups are loading, and for a deleted group.
  const isListed = approvers.some(({ value }) => value === approver);
  return (
    <div class="fields" role="group" aria-label={name}>
      <Select
        name={`tool_policy.${name}`}
        label={t('tool_policy')}
        choices={[
          { value: '', label: t('tool_policy_default') },
          ...POLICIES.map((policy) => ({ value: policy, label: t(`tool_policy_${policy}`) })),
        ]}
        value={use?.policy ?? ''}
      />
      <Select
        name={`tool_approver.${name}`}
        label={t('tool_approver')}
        hint={t('tool_approver_hint')}
        choices={isListed ? approvers : [...approvers, { value: approver, label: approver }]}
        value={approver}
      />
    </div>
  );
}
