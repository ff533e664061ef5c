import type { PlanDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { bytesOf, megabytesOf, numberOf } from '../../../components/form/entries';
import { Form, TextField } from '../../../components/form/form';
import { Page } from '../../../components/page/page';
import { Show } from '../../../components/states';
import { Time } from '../../../components/time';

const t = texts('manage');
const admin = texts('admin');
const shell = texts('shell');

/** The limits of each plan. */
export function Plans(): JSX.Element {
  const loaded = useLoad(async () => (await api.admin.plans.list()).data.items, []);
  return (
    <Page title={admin('page_plans')}>
      <p class="soft">{t('plans_hint')}</p>
      <Show loaded={loaded}>
        {(plans) => (
          <div class="cards wide">
            {plans.map((plan) => (
              <section key={`${plan.membership_type} ${plan.updated_at}`} class="card stack">
                <h2>{t(`plan_${plan.membership_type}`)}</h2>
                <PlanForm plan={plan} onChange={loaded.reload} />
                <p class="soft">
                  {t('updated_at')}: <Time at={plan.updated_at} />
                </p>
              </section>
            ))}
          </div>
        )}
      </Show>
    </Page>
  );
}

function PlanForm({ plan, onChange }: { plan: PlanDto; onChange: () => void }): JSX.Element {
  const path = { membership_type: plan.membership_type };
  const save = async (entries: FormData): Promise<void> => {
    const body = {
      messages_per_day: numberOf(entries, 'messages_per_day'),
      tokens_per_day: numberOf(entries, 'tokens_per_day'),
      embedding_tokens: numberOf(entries, 'embedding_tokens'),
      storage_bytes: bytesOf(entries, 'storage_bytes', plan.storage_bytes),
    };
    await api.admin.plans.update({ path, body });
    const { messages_per_day, tokens_per_day, embedding_tokens, storage_bytes } = plan;
    const former = { messages_per_day, tokens_per_day, embedding_tokens, storage_bytes };
    const undo = (): void => void attempt(() => api.admin.plans.update({ path, body: former })).then(onChange);
    toast(shell('saved'), { undo });
    onChange();
  };
  return (
    <Form action={shell('save')} onSubmit={save}>
      <TextField
        name="messages_per_day"
        type="number"
        min={0}
        label={t('messages_per_day')}
        hint={t('no_limit_hint')}
        defaultValue={plan.messages_per_day ?? ''}
      />
      <TextField
        name="tokens_per_day"
        type="number"
        min={0}
        label={t('tokens_per_day')}
        hint={t('no_limit_hint')}
        defaultValue={plan.tokens_per_day ?? ''}
      />
      <TextField
        name="embedding_tokens"
        type="number"
        min={0}
        label={t('embedding_tokens_per_day')}
        hint={t('no_limit_hint')}
        defaultValue={plan.embedding_tokens ?? ''}
      />
      <TextField
        name="storage_bytes"
        type="number"
        min={0}
        step="any"
        label={t('storage_megabytes')}
        hint={t('no_limit_hint')}
        defaultValue={megabytesOf(plan.storage_bytes)}
      />
    </Form>
  );
}
