import type { ActionDto } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../../app/i18n/languages';
import { wordsOf } from '../form/entries';
import { Form, TextArea, textOf } from '../form/form';
import { objectOf } from './json-object';
import { visibleJson } from './visible-json';
import type { Wish } from './wish';

const t = texts('acting');

/** Decisions that need text. */
export type AnswerKind = 'deny' | 'edit' | 'done' | 'failed';

const ACTIONS = { deny: 'deny', edit: 'approve_edited', done: 'done', failed: 'failed' } as const;

interface AnswerFormProps {
  kind: AnswerKind;
  action: ActionDto;
  onDecide: (wish: Wish) => Promise<void>;
  beside: ComponentChildren;
}

/** The input for a reason, for other arguments, or for the result of a call. */
export function AnswerForm({ kind, action, onDecide, beside }: AnswerFormProps): JSX.Element {
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => fields.current?.querySelector('textarea')?.focus(), []);
  const submit = (entries: FormData): Promise<void> => onDecide(wishOf(kind, action.arguments_hash, entries));
  return (
    <Form action={t(ACTIONS[kind])} isDangerous={kind === 'deny'} beside={beside} onSubmit={submit}>
      <div ref={fields}>
        {kind === 'edit' && (
          <TextArea
            name="arguments"
            label={t('arguments')}
            hint={t('arguments_hint')}
            class="input mono"
            dir="ltr"
            rows={6}
            spellcheck={false}
            required
            defaultValue={visibleJson(action.arguments ?? {})}
          />
        )}
        {kind === 'done' && <TextArea name="text" label={t('done_text')} maxLength={32_000} rows={3} required />}
        {(kind === 'deny' || kind === 'failed') && (
          <TextArea name="reason" label={t('reason')} hint={t('reason_hint')} maxLength={2_000} rows={2} />
        )}
      </div>
    </Form>
  );
}

function wishOf(kind: AnswerKind, arguments_hash: string, entries: FormData): Wish {
  const reason = wordsOf(entries, 'reason');
  switch (kind) {
    case 'edit':
      return { decision: 'approve', arguments_hash, arguments: objectOf(entries, 'arguments') };
    case 'done':
      return { decision: 'done', arguments_hash, text: textOf(entries, 'text') };
    default:
      return { decision: kind, arguments_hash, ...(reason !== null && { reason }) };
  }
}
