import type { BudgetDto, CreateBudgetDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { Dialog } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { instantOf, wordsOf } from '../../../components/form/entries';
import { Checkbox, Form, Select, TextField, textOf } from '../../../components/form/form';
import { type Scope, SCOPES } from './budget-scopes';
import { SubjectField, subjectOf } from './budget-subject';

const t = texts('money');
const manage = texts('manage');
const shell = texts('shell');

const PLANS = ['free', 'monthly', 'yearly'] as const;
const WINDOWS = ['day', 'week', 'month', 'total'] as const;
const MODES = ['hard', 'soft'] as const;

/** Makes a budget, or changes what of one can be changed. */
export function BudgetForm({ budget, onClose }: { budget: BudgetDto | undefined; onClose: () => void }): JSX.Element {
  const [scope, setScope] = useState<Scope>('service');
  const [mode, setMode] = useState<BudgetDto['mode']>(budget?.mode ?? 'hard');
  const save = async (entries: FormData): Promise<void> => {
    const body = {
      limit: textOf(entries, 'limit').trim(),
      mode,
      thresholds: textOf(entries, 'thresholds')
        .split(/[\s,;%]+/)
        .filter(Boolean)
        .map(Number),
      note: wordsOf(entries, 'note'),
    };
    if (budget) await api.admin.budgets.update({ path: { id: budget.id }, body });
    else await api.admin.budgets.create({ body: { ...body, ...(await scopeOf(scope, entries)) } });
    toast(budget ? shell('saved') : t('budget_made'));
    onClose();
  };
  return (
    <Dialog title={t(budget ? 'edit_budget' : 'new_budget')} onClose={onClose}>
      <Form action={budget ? shell('save') : manage('create')} onSubmit={save}>
        {!budget && <ScopeFields scope={scope} onScope={setScope} />}
        <TextField
          name="limit"
          label={t('limit')}
          hint={t('limit_hint')}
          inputMode="decimal"
          defaultValue={budget?.limit}
          required
          autoComplete="off"
        />
        {!budget && (
          <Select
            name="window"
            label={t('window')}
            hint={t('window_hint')}
            choices={choicesOf(WINDOWS, (name) => t(`window_${name}`))}
            value="month"
          />
        )}
        <Select
          name="mode"
          label={t('mode')}
          hint={t(`mode_${mode}_hint`)}
          choices={choicesOf(MODES, (name) => t(`mode_${name}`))}
          value={mode}
          onChange={(value) => setMode(value as typeof mode)}
        />
        <TextField
          name="thresholds"
          label={t('thresholds')}
          hint={t('thresholds_hint')}
          defaultValue={(budget?.thresholds ?? [50, 80, 100]).join(', ')}
          autoComplete="off"
        />
        {!budget && (
          <TextField name="starts_at" type="datetime-local" label={t('starts_at')} hint={t('starts_at_hint')} />
        )}
        <TextField name="note" label={t('note')} defaultValue={budget?.note ?? ''} maxLength={500} />
      </Form>
    </Dialog>
  );
}

function ScopeFields({ scope, onScope }: { scope: Scope; onScope: (scope: Scope) => void }): JSX.Element {
  return (
    <>
      <Select
        name="scope"
        label={t('scope')}
        choices={choicesOf(SCOPES, (name) => t(`scope_${name}`))}
        value={scope}
        onChange={(value) => onScope(value as Scope)}
      />
      {scope === 'membership_type' && (
        <Select
          name="scope_id"
          label={t('scope_membership_type')}
          choices={choicesOf(PLANS, (plan) => manage(`plan_${plan}`))}
        />
      )}
      {scope !== 'service' && scope !== 'membership_type' && <SubjectField key={scope} scope={scope} />}
      {scope !== 'user' && <Checkbox name="each_user" label={t('each_user')} />}
    </>
  );
}

/** What cannot be changed later. */
async function scopeOf(
  scope: Scope,
  entries: FormData,
): Promise<Pick<CreateBudgetDto, 'scope' | 'scope_id' | 'each_user' | 'window' | 'starts_at'>> {
  const subject = textOf(entries, 'scope_id');
  const startsAt = instantOf(entries, 'starts_at');
  return {
    scope,
    scope_id:
      scope === 'service'
        ? null
        : scope === 'membership_type'
          ? (subject as (typeof PLANS)[number])
          : await subjectOf(scope, subject),
    each_user: entries.has('each_user'),
    window: textOf(entries, 'window') as CreateBudgetDto['window'],
    ...(startsAt && { starts_at: startsAt }),
  };
}
