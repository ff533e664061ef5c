import type { ProviderDto, ProviderTestResultDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { formatDuration, formatNumber } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { Dialog } from '../dialog';
import { Facts } from '../facts';
import { wordsOf } from '../form/entries';
import { Form, TextField } from '../form/form';
import { UserText } from '../user-text';
import { ModelField, referenceOf } from './model-choice';

const t = texts('manage');
const admin = texts('admin');

interface TrialProps {
  provider: ProviderDto;
  model?: string;
  onClose: () => void;
}

/** Sends one test request to a model and shows the result. */
export function ProviderTrial({ provider, model, onClose }: TrialProps): JSX.Element {
  const [result, setResult] = useState<ProviderTestResultDto>();
  const ask = async (entries: FormData): Promise<void> => {
    const body = { model: wordsOf(entries, 'model'), content: wordsOf(entries, 'content') };
    setResult(undefined);
    setResult((await api.admin.providers.test({ path: { id: referenceOf(provider) }, body })).data);
  };
  return (
    <Dialog title={t('try_provider', { name: provider.name })} onClose={onClose}>
      <p class="soft">{t('provider_trial_hint')}</p>
      <Form action={t('ask')} onSubmit={ask}>
        <ModelField provider={provider} value={model} />
        <TextField
          name="content"
          label={t('question')}
          hint={t('greeting_hint')}
          maxLength={4_000}
          autoComplete="off"
        />
      </Form>
      {result && (
        <div class="stack" role="status">
          <Outcome result={result} />
          <Facts
            facts={[
              [admin('model'), <UserText key="model">{result.model}</UserText>],
              [t('asked_at'), result.host ?? '—'],
              [admin('first_token'), formatDuration(result.first_token_ms)],
              [t('duration'), formatDuration(result.duration_ms)],
              [admin('tokens'), tokensOf(result)],
            ]}
          />
        </div>
      )}
    </Dialog>
  );
}

function tokensOf({ prompt_tokens, completion_tokens }: ProviderTestResultDto): string {
  const known = [prompt_tokens, completion_tokens].filter((tokens) => tokens !== null);
  return known.map((tokens) => formatNumber(tokens)).join(' + ') || '—';
}

function Outcome({ result: { ok, status, code, message, content } }: { result: ProviderTestResultDto }): JSX.Element {
  if (ok) {
    return (
      <div class="notice success stack tight">
        <strong>{t('it_answered')}</strong>
        <p class="written" dir="auto">
          {content?.trim() ? content : admin('no_text')}
        </p>
      </div>
    );
  }
  const [, reason] = REASONS.find(([fits]) => fits(status, code)) ?? [];
  return (
    <div class="notice danger stack tight">
      <strong>{t(`trial_${reason ?? 'failure'}`)}</strong>
      {message && <UserText>{message}</UserText>}
      <p class="soft">{[status, code].filter(Boolean).join(' · ')}</p>
    </div>
  );
}

type Fits = (status: number | null, code: string | null) => boolean;

/** The most likely causes of a failure. The first match is shown. */
const REASONS: [Fits, 'key' | 'address' | 'limit' | 'timeout' | 'unreachable'][] = [
  [(status) => status === 401 || status === 403, 'key'],
  [(status) => status === 404, 'address'],
  [(status) => status === 429, 'limit'],
  [(_status, code) => code === 'PROVIDER_TIMEOUT', 'timeout'],
  [(status) => status === null, 'unreachable'],
];
