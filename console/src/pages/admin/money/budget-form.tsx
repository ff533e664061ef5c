import type { BudgetDto, CreateBudgetDto, UnpricedModelDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { isEntered, SubjectField, subjectOf } from '../../../components/admin/subject-field';
import { Dialog } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { instantOf, wordsOf } from '../../../components/form/entries';
import { Checkbox, Form, Select, TextField, textOf } from '../../../components/form/form';
import { type Scope, SCOPES } from './budget-scopes';
import { PriceForm } from './price-form';
import { UnpricedModels, useUnpricedModels } from './unpriced-models';

const t = texts('money');
const admin = texts('admin');
const manage = texts('manage');
const shell = texts('shell');

const PLANS = ['free', 'monthly', 'yearly'] as const;
const WINDOWS = ['day', 'week', 'month', 'total'] as const;
const MODES = ['soft', 'hard'] as const;

/** Creates a budget, or edits the fields that can change. */
export function BudgetForm({ budget, onClose }: { budget: BudgetDto | undefined; onClose: () => void }): JSX.Element {
  const [scope, setScope] = useState<Scope>('service');
  const [subject, setSubject] = useState('');
  // A hard budget blocks models without a price, so it is never the default.
  const [mode, setMode] = useState<BudgetDto['mode']>(budget?.mode ?? 'soft');
  const [priced, setPriced] = useState<string>();
  const models = useUnpricedModels(priced);
  const isConcerned = (agent: { id: number; name: string }): boolean =>
    budget ? budget.scope !== 'agent' || budget.scope_id === agent.id : scope !== 'agent' || isEntered(subject, agent);
  const save = async (entries: FormData): Promise<void> => {
    const body = {
      name: wordsOf(entries, 'name'),
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
    <>
      <Dialog title={t(budget ? 'edit_budget' : 'new_budget')} onClose={onClose}>
        <Form action={budget ? shell('save') : manage('create')} onSubmit={save}>
          <TextField
            name="name"
            label={admin('name')}
            defaultValue={budget?.name ?? ''}
            maxLength={100}
            autoComplete="off"
          />
          {!budget && <ScopeFields scope={scope} onScope={setScope} onSubject={setSubject} />}
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
          <ConcernedModels
            models={models.filter(({ agents }) => agents.some(isConcerned))}
            mode={mode}
            onPrice={setPriced}
          />
          <FurtherFields budget={budget} />
        </Form>
      </Dialog>
      {/* Outside of the form, because submitting a nested form would submit both. */}
      {priced && <PriceForm former={{ model: priced }} onClose={() => setPriced(undefined)} />}
    </>
  );
}

interface ConcernedModelsProps {
  models: UnpricedModelDto[];
  mode: BudgetDto['mode'];
  onPrice: (model: string) => void;
}

/** The models without a price. A hard budget refuses them; a soft budget does not count their cost. */
function ConcernedModels({ models, mode, onPrice }: ConcernedModelsProps): JSX.Element {
  const refuses = mode === 'hard' && models.some(({ refused }) => refused);
  return (
    <UnpricedModels models={models} onPrice={onPrice} isWarning={refuses}>
      {t(refuses ? 'refused_models' : 'uncounted_models', { count: models.length })}
    </UnpricedModels>
  );
}

function FurtherFields({ budget }: { budget: BudgetDto | undefined }): JSX.Element {
  return (
    <>
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
    </>
  );
}

interface ScopeFieldsProps {
  scope: Scope;
  onScope: (scope: Scope) => void;
  /** Receives the text in the subject field. */
  onSubject: (text: string) => void;
}

function ScopeFields({ scope, onScope, onSubject }: ScopeFieldsProps): JSX.Element {
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
      {scope !== 'service' && scope !== 'membership_type' && (
        <SubjectField key={scope} scope={scope} label={t(`scope_${scope}`)} onText={onSubject} />
      )}
      {scope !== 'user' && <Checkbox name="each_user" label={t('each_user')} />}
    </>
  );
}

/** The fields that cannot change later. */
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
