import type { AgentAdminDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { useGroups } from '../../../components/admin/groups';
import { choicesOf } from '../../../components/form/choices';
import { Checkbox, CheckboxGroup, Form, Select, TextArea, TextField } from '../../../components/form/form';
import { Icon } from '../../../components/icon';
import { type AgentEntries, entriesOf } from './agent-entries';
import { AgentTrial } from './agent-trial';
import { ACCESS_LEVELS, AGENT_STATUSES } from './agents';
import { KnowledgeFields } from './knowledge-fields';
import { ModelChoice, ModelLimits } from './model-fields';
import { ToolFields, ToolLimits } from './tool-fields';

export type { AgentEntries } from './agent-entries';

const t = texts('manage');
const admin = texts('admin');
const company = texts('company');

interface AgentFormProps {
  /** Absent for a new agent. */
  agent?: AgentAdminDto;
  action: string;
  /** Whether “Advanced” is open. It stays so after a save, which renders the form again. */
  isAdvanced: boolean;
  onAdvanced: (isOpen: boolean) => void;
  onSave: (entries: AgentEntries) => Promise<void>;
}

/** The settings of an agent: six fields, and everything else under “Advanced”. Unsaved settings can be tested. */
export function AgentForm({ agent, action, isAdvanced, onAdvanced, onSave }: AgentFormProps): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  return (
    <div class={agent ? 'beside-trial' : ''}>
      <Form element={form} action={action} stays onSubmit={(entries) => onSave(entriesOf(entries))}>
        <div class="fields">
          <TextField name="name" label={admin('name')} defaultValue={agent?.name} required maxLength={64} />
          <TextField name="avatar" label={t('avatar')} hint={t('avatar_hint')} defaultValue={agent?.avatar} />
        </div>
        <ModelChoice agent={agent} />
        <TextArea
          name="system_prompt"
          label={t('system_prompt')}
          hint={t('system_prompt_hint')}
          rows={12}
          maxLength={20_000}
          defaultValue={agent?.system_prompt}
        />
        <ToolFields agent={agent} />
        <KnowledgeFields agent={agent} />
        <details class="advanced" open={isAdvanced} onToggle={(event) => onAdvanced(event.currentTarget.open)}>
          <summary>
            <h2>{t('advanced')}</h2>
            <span class="soft">{t('advanced_hint')}</span>
            <Icon name="descending" />
          </summary>
          <div class="stack">
            <Access agent={agent} />
            <Appearance agent={agent} />
            <h3>{t('model_section')}</h3>
            <ModelLimits agent={agent} />
            <h3>{t('tool_tools')}</h3>
            <ToolLimits agent={agent} />
          </div>
        </details>
      </Form>
      {agent && <AgentTrial id={agent.id} readDraft={() => entriesOf(new FormData(form.current ?? undefined))} />}
    </div>
  );
}

/** Who may use the agent. */
function Access({ agent }: { agent: AgentAdminDto | undefined }): JSX.Element {
  const [access, setAccess] = useState<string>(agent?.access_level ?? ACCESS_LEVELS[0]);
  return (
    <>
      <div class="fields">
        <Select
          name="status"
          label={admin('status')}
          hint={t('agent_status_hint')}
          choices={choicesOf(AGENT_STATUSES, (name) => t(`agent_${name}`))}
          value={agent?.status}
        />
        <Select
          name="access_level"
          label={t('access_level')}
          hint={t('access_hint')}
          choices={choicesOf(ACCESS_LEVELS, (name) => t(`access_${name}`))}
          value={access}
          onChange={setAccess}
        />
      </div>
      {access === 'groups' && <GroupChoice chosen={agent?.group_ids ?? []} />}
      <Checkbox name="is_default" label={t('is_default')} checked={agent?.is_default} />
    </>
  );
}

/** The groups that may use the agent. */
function GroupChoice({ chosen }: { chosen: number[] }): JSX.Element {
  const groups = useGroups();
  return (
    <CheckboxGroup name="group_ids" label={t('access_groups')} hint={company('group_ids_hint')}>
      {groups && <input type="hidden" name="groups_shown" />}
      {groups?.map(({ id, name }) => (
        <Checkbox key={id} name="group_ids" value={String(id)} label={name} checked={chosen.includes(id)} />
      ))}
      {groups?.length === 0 && <p>{company('no_groups')}</p>}
    </CheckboxGroup>
  );
}

function Appearance({ agent }: { agent: AgentAdminDto | undefined }): JSX.Element {
  return (
    <>
      <h3>{t('appearance')}</h3>
      <TextArea
        name="description"
        label={t('description')}
        rows={2}
        maxLength={1_000}
        defaultValue={agent?.description}
      />
      <div class="fields">
        <TextField name="category" label={t('category')} maxLength={64} defaultValue={agent?.category} />
        <TextField
          name="sort_order"
          type="number"
          label={t('sort_order')}
          hint={t('sort_order_hint')}
          defaultValue={agent?.sort_order}
        />
      </div>
      <TextArea
        name="opening_message"
        label={t('opening_message')}
        hint={t('opening_message_hint')}
        rows={2}
        maxLength={2_000}
        defaultValue={agent?.opening_message}
      />
      <TextArea
        name="suggested_questions"
        label={t('suggested_questions')}
        hint={t('suggested_questions_hint')}
        defaultValue={agent?.suggested_questions.join('\n')}
      />
      <TextArea name="tags" label={t('tags')} hint={t('tags_hint')} rows={2} defaultValue={agent?.tags.join('\n')} />
    </>
  );
}
