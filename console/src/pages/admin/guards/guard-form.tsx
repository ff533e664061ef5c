import type { CreateGuardDto, GuardDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { useAgents } from '../../../components/admin/agents';
import { useGroups } from '../../../components/admin/groups';
import { Dialog } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { linesOf, numberOf, wordsOf } from '../../../components/form/entries';
import { Checkbox, CheckboxGroup, Form, Select, TextArea, TextField, textOf } from '../../../components/form/form';

const t = texts('guards');
const admin = texts('admin');
const manage = texts('manage');
const shell = texts('shell');

const KINDS = ['http', 'builtin'] as const;
const STAGES = ['input', 'tool_result', 'output'] as const;
const MODES = ['mask', 'block', 'report'] as const;
const ERROR_RULES = ['closed', 'open'] as const;
const RESTORES = ['answer', 'answer_and_tools', 'none'] as const;
const NAMED = ['email', 'credit_card', 'iban'] as const;

interface GuardFormProps {
  /** Null: a new one. */
  guard: GuardDto | null;
  /** @param secret the generated secret of a new guard; null: none */
  onSaved: (secret: string | null) => void;
  onClose: () => void;
}

/** Adds or changes a guard. */
export function GuardForm({ guard, onSaved, onClose }: GuardFormProps): JSX.Element {
  const [kind, setKind] = useState<GuardDto['kind']>(guard?.kind ?? 'http');
  const save = async (entries: FormData): Promise<void> => {
    const body = bodyOf(entries, kind);
    if (guard === null) {
      const { data } = await api.admin.guards.create({ body: { ...body, kind } });
      toast(t('guard_created', { name: data.name }));
      onSaved(data.secret);
    } else {
      await api.admin.guards.update({ path: { id: guard.id }, body });
      toast(t('guard_saved', { name: guard.name }));
      onSaved(null);
    }
  };
  return (
    <Dialog title={t(guard === null ? 'new_guard' : 'edit')} onClose={onClose}>
      <Form action={guard === null ? manage('create') : shell('save')} onSubmit={save}>
        <div class="fields">
          <TextField
            name="name"
            label={admin('name')}
            hint={t('name_hint')}
            defaultValue={guard?.name}
            required
            maxLength={32}
            autoComplete="off"
          />
          {guard === null && (
            <Select
              name="kind"
              label={t('kind')}
              choices={choicesOf(KINDS, (one) => t(`kind_${one}`))}
              value={kind}
              onChange={(value) => setKind(value as GuardDto['kind'])}
            />
          )}
          <Select
            name="mode"
            label={t('mode')}
            choices={choicesOf(MODES, (one) => t(`mode_${one}`))}
            value={guard?.mode ?? 'mask'}
          />
        </div>
        {kind === 'http' ? <ServiceFields guard={guard} /> : <RuleFields guard={guard} />}
        <CheckboxGroup name="stages" label={t('stages')}>
          {STAGES.map((stage) => (
            <Checkbox
              key={stage}
              name="stages"
              value={stage}
              label={t(`stage_${stage}`)}
              checked={guard?.stages.includes(stage) ?? stage === 'input'}
            />
          ))}
        </CheckboxGroup>
        <FurtherFields guard={guard} />
      </Form>
    </Dialog>
  );
}

function ServiceFields({ guard }: Pick<GuardFormProps, 'guard'>): JSX.Element {
  return (
    <>
      <div class="fields">
        <TextField
          name="url"
          type="url"
          label={t('url')}
          hint={t('url_hint')}
          defaultValue={guard?.url ?? ''}
          required
        />
        <TextField
          name="secret"
          label={t('secret')}
          hint={t(guard === null ? 'secret_hint' : 'secret_kept')}
          autoComplete="off"
        />
      </div>
      <TextArea
        name="headers"
        label={t('headers')}
        hint={guard?.headers.length ? t('headers_kept', { names: guard.headers.join(', ') }) : t('headers_hint')}
        rows={2}
        dir="ltr"
        spellcheck={false}
      />
    </>
  );
}

function RuleFields({ guard }: Pick<GuardFormProps, 'guard'>): JSX.Element {
  const rules = guard?.rules ?? ['email'];
  const patterns = rules.flatMap((rule) => (typeof rule === 'string' ? [] : [`${rule.type} ${rule.pattern}`]));
  return (
    <>
      <CheckboxGroup name="rules" label={t('rules')}>
        {NAMED.map((rule) => (
          <Checkbox key={rule} name="rules" value={rule} label={t(`rule_${rule}`)} checked={rules.includes(rule)} />
        ))}
      </CheckboxGroup>
      <TextArea
        name="patterns"
        label={t('patterns')}
        hint={t('patterns_hint')}
        rows={3}
        dir="ltr"
        spellcheck={false}
        defaultValue={patterns.join('\n')}
      />
    </>
  );
}

function FurtherFields({ guard }: Pick<GuardFormProps, 'guard'>): JSX.Element {
  const groups = useGroups();
  const agents = useAgents();
  return (
    <>
      <div class="fields">
        <Select
          name="on_error"
          label={t('on_error')}
          choices={choicesOf(ERROR_RULES, (one) => t(`error_${one}`))}
          value={guard?.on_error ?? 'closed'}
        />
        <TextField
          name="timeout_ms"
          type="number"
          min={50}
          max={30_000}
          label={t('timeout')}
          defaultValue={guard?.timeout_ms ?? 2_000}
          required
        />
        <TextField
          name="window"
          type="number"
          min={0}
          max={4_000}
          label={t('window')}
          hint={t('window_hint')}
          defaultValue={guard?.window ?? 200}
          required
        />
        <Select
          name="restore"
          label={t('restore')}
          choices={choicesOf(RESTORES, (one) => t(`restore_${one}`))}
          value={guard?.restore ?? 'answer'}
        />
      </div>
      <Targets
        name="groups"
        label={admin('page_groups')}
        all={t('all_users')}
        items={groups ?? []}
        chosen={guard?.groups ?? null}
      />
      <Targets
        name="agents"
        label={admin('page_agents')}
        all={t('all_agents')}
        items={agents}
        chosen={guard?.agents ?? null}
      />
    </>
  );
}

interface TargetsProps {
  name: 'groups' | 'agents';
  label: string;
  /** The label of the box for all of them. */
  all: string;
  items: readonly { id: number; name: string }[];
  chosen: number[] | null;
}

/** All groups or agents, or only chosen ones. */
function Targets({ name, label, all, items, chosen }: TargetsProps): JSX.Element {
  const [isAll, setIsAll] = useState(chosen === null);
  return (
    <CheckboxGroup name={name} label={label}>
      <Checkbox name={`${name}_all`} label={all} checked={isAll} onChange={setIsAll} />
      {!isAll &&
        items.map((item) => (
          <Checkbox
            key={item.id}
            name={name}
            value={String(item.id)}
            label={item.name}
            checked={chosen?.includes(item.id)}
          />
        ))}
    </CheckboxGroup>
  );
}

function bodyOf(entries: FormData, kind: GuardDto['kind']): Omit<CreateGuardDto, 'kind'> {
  const secret = wordsOf(entries, 'secret');
  const headers = linesOf(entries, 'headers').map((line) => {
    const [name = '', ...value] = line.split(':');
    return [name.trim(), value.join(':').trim()] as const;
  });
  const patterns = linesOf(entries, 'patterns').map((line) => {
    const [type = '', ...pattern] = line.split(' ');
    return { type, pattern: pattern.join(' ') };
  });
  const target = (name: string): number[] | null =>
    entries.has(`${name}_all`) ? null : entries.getAll(name).map(Number);
  return {
    name: textOf(entries, 'name').trim(),
    mode: textOf(entries, 'mode') as GuardDto['mode'],
    stages: entries.getAll('stages') as GuardDto['stages'],
    ...(kind === 'http' && {
      url: textOf(entries, 'url').trim(),
      ...(secret !== null && { secret }),
      ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    }),
    ...(kind === 'builtin' && { rules: [...(entries.getAll('rules') as (typeof NAMED)[number][]), ...patterns] }),
    on_error: textOf(entries, 'on_error') as GuardDto['on_error'],
    timeout_ms: numberOf(entries, 'timeout_ms') ?? 2_000,
    window: numberOf(entries, 'window') ?? 200,
    restore: textOf(entries, 'restore') as GuardDto['restore'],
    groups: target('groups'),
    agents: target('agents'),
  };
}
