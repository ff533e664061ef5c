import type { AgentTrialDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatDuration, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { Facts } from '../../../components/facts';
import { Form, TextArea, textOf } from '../../../components/form/form';
import { UserText } from '../../../components/user-text';
import type { AgentEntries } from './agent-entries';

const t = texts('manage');
const admin = texts('admin');

/** Sends a message to the agent with the settings in the form, saved or not, and shows the reply. */
export function AgentTrial({ id, readDraft }: { id: number; readDraft: () => AgentEntries }): JSX.Element {
  const [answer, setAnswer] = useState<AgentTrialDto>();
  const ask = async (entries: FormData): Promise<void> => {
    const { system_prompt, provider, model, model_params, fallback_models, context_max_tokens, timeout_seconds } =
      readDraft();
    const limits = { context_max_tokens, timeout_seconds };
    const settings = { system_prompt, provider, model, model_params, fallback_models, ...limits };
    const body = { ...settings, content: textOf(entries, 'content') };
    setAnswer(undefined);
    setAnswer((await api.agents.test({ path: { id }, body })).data);
  };

  return (
    <section class="card stack trial" aria-labelledby="trial">
      <h2 id="trial">{t('try_draft')}</h2>
      <p class="soft">{t('trial_hint')}</p>
      <Form action={t('ask')} onSubmit={ask}>
        <TextArea name="content" label={t('question')} required rows={3} maxLength={32_000} />
      </Form>
      <div role="status" class="stack">
        {answer && (
          <>
            <h3>{t('answer')}</h3>
            <p class="written" dir="auto">
              {answer.content.trim() === '' ? admin('no_text') : answer.content}
            </p>
            <Facts
              facts={[
                [admin('model'), <UserText key="model">{`${answer.provider}: ${answer.model}`}</UserText>],
                [t('finish_reason'), answer.finish_reason],
                [admin('first_token'), formatDuration(answer.first_token_ms)],
                [t('duration'), formatDuration(answer.duration_ms)],
                [
                  admin('tokens'),
                  `${formatNumber(answer.token_usage.prompt_tokens)} + ${formatNumber(answer.token_usage.completion_tokens)}`,
                ],
              ]}
            />
          </>
        )}
      </div>
    </section>
  );
}
