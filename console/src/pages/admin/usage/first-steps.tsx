import type { OverviewDto } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { LocalModels } from '../../../components/admin/local-models';
import { IconButton } from '../../../components/button';
import { Icon } from '../../../components/icon';

const t = texts('admin');

type Step = 'model' | 'try' | 'looks' | 'people' | 'key';

const PLACES: Record<Step, string> = {
  model: '/admin/providers',
  try: '/chat',
  looks: '/admin/settings',
  people: '/admin/users',
  key: '/account/keys',
};

const STEPS: readonly Step[] = ['model', 'try', 'looks', 'people', 'key'];

/** Null if an administrator has dismissed the list. */
async function read({ users, total }: OverviewDto): Promise<Record<Step, boolean> | null> {
  const { data: settings } = await api.admin.settings.read();
  if (!settings.first_steps) return null;
  const [providers, keys] = await Promise.all([
    api.admin.providers.list({ query: { size: 100 } }),
    api.admin.apiKeys.list({ query: { size: 1 } }),
  ]);
  return {
    model: providers.data.items.some(({ kind, is_active }) => kind !== 'demo' && is_active),
    try: total.messages > 0,
    looks: [settings.name, settings.logo, settings.colour, settings.welcome].some((value) => value !== null),
    people: users.total > 1,
    key: keys.data.pagination.total > 0,
  };
}

/**
 * The setup checklist of a new installation, folded once a model is connected. It disappears when all steps are done or an administrator dismisses it.
 */
export function FirstSteps({ overview }: { overview: OverviewDto }): JSX.Element | null {
  const { data: done, reload } = useLoad(() => read(overview), [overview]);
  if (!done || STEPS.every((step) => done[step])) return null;
  const show = async (first_steps: boolean): Promise<void> => {
    await attempt(() => api.admin.settings.update({ body: { first_steps } }));
    reload();
  };
  const putAway = async (): Promise<void> => {
    await show(false);
    toast(t('steps_put_away'), { undo: () => void show(true) });
  };
  return (
    <section class="card first-steps" aria-labelledby="first-steps">
      <Folded isOpen={!done.model}>
        <summary>
          <h2 id="first-steps">{t('steps')}</h2>
          <span class="soft">
            {t('steps_left', { left: STEPS.filter((step) => !done[step]).length, all: STEPS.length })}
          </span>
          <Icon name="descending" />
        </summary>
        <ol class="plain-list">
          {STEPS.map((step) => (
            <StepView key={step} step={step} isDone={done[step]}>
              {step === 'model' && !done.model && <LocalModels onAdded={reload} />}
            </StepView>
          ))}
        </ol>
      </Folded>
      <IconButton icon="close" label={t('steps_put_away_action')} onClick={() => void putAway()} />
    </section>
  );
}

/** Open at first if `isOpen`; then the user decides. */
function Folded({ isOpen, children }: { isOpen: boolean; children: ComponentChildren }): JSX.Element {
  const [isOpenAtFirst] = useState(isOpen);
  return <details open={isOpenAtFirst}>{children}</details>;
}

interface StepProps {
  step: Step;
  isDone: boolean;
  children: ComponentChildren;
}

function StepView({ step, isDone, children }: StepProps): JSX.Element {
  return (
    <li class={`step ${isDone ? 'done' : ''}`}>
      <span class="step-mark">{isDone && <Icon name="check" />}</span>
      <div class="stack tight">
        <span>
          <Link href={PLACES[step]}>{t(`step_${step}`)}</Link>
          {isDone && <span class="visually-hidden"> {t('step_done')}</span>}
        </span>
        {!isDone && <span class="soft">{t(`step_${step}_hint`)}</span>}
        {children}
      </div>
    </li>
  );
}
