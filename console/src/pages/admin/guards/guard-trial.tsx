import type { GuardDto, GuardTestDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatDuration } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { Dialog } from '../../../components/dialog';
import { Facts } from '../../../components/facts';
import { choicesOf } from '../../../components/form/choices';
import { Form, Select, TextArea, textOf } from '../../../components/form/form';

const t = texts('guards');

/** Checks a text with a guard. The service does not store it. */
export function GuardTrial({ guard, onClose }: { guard: GuardDto; onClose: () => void }): JSX.Element {
  const [result, setResult] = useState<GuardTestDto>();
  const test = async (entries: FormData): Promise<void> => {
    setResult(undefined);
    const body = { text: textOf(entries, 'text'), stage: textOf(entries, 'stage') as GuardDto['stages'][number] };
    setResult((await api.admin.guards.test({ path: { id: guard.id }, body })).data);
  };
  return (
    <Dialog title={t('test_title', { name: guard.name })} onClose={onClose}>
      <Form action={t('test')} onSubmit={test}>
        <TextArea name="text" label={t('text')} hint={t('text_hint')} rows={4} required />
        <Select
          name="stage"
          label={t('stage')}
          choices={choicesOf(guard.stages, (stage) => t(`stage_${stage}`))}
          value={guard.stages[0]}
        />
      </Form>
      {result && <Result result={result} />}
    </Dialog>
  );
}

function Result({
  result: { action, masked, spans, reason, error, duration_ms: duration },
}: {
  result: GuardTestDto;
}): JSX.Element {
  const tone = error !== null || action === 'block' ? 'danger' : action === 'mask' ? 'warning' : 'success';
  return (
    <div class="stack" role="status">
      <p class={`notice ${tone}`}>{error === null ? t(`action_${action}`) : t('failed', { error })}</p>
      {spans.length > 0 && (
        <pre class="notice written" dir="auto">
          {masked}
        </pre>
      )}
      <Facts
        facts={[
          [t('found'), spans.map(({ type }) => type).join(', ') || '–'],
          ...(reason === null ? [] : ([[t('reason'), reason]] as [string, string][])),
          [t('duration'), formatDuration(duration)],
        ]}
      />
    </div>
  );
}
