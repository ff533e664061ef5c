import '../../styles/parts/acting.css';
import type { ActionDto } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { texts } from '../../app/i18n/languages';
import { attempt } from '../../app/toasts';
import { user } from '../../app/visit';
import { Button } from '../button';
import { Icon } from '../icon';
import { lazy } from '../page/lazy';
import { Time } from '../time';
import { AnswerForm, type AnswerKind } from './answer-form';
import { ReadableArguments } from './given-arguments';
import type { Wish } from './wish';

const t = texts('acting');
const shell = texts('shell');

const Question = lazy(async () => (await import('./questions/question')).Question, 'questions');

/** Maximum delay of a timer. */
const LONGEST_TIMER = 2 ** 31 - 1;

type Remembered = Wish['remember'];

const NEXT_TIMES = [
  [undefined, 'remember_nothing'],
  ['chat', 'remember_chat'],
  ['agent', 'remember_agent'],
] as const;

interface ActionCardProps {
  action: ActionDto;
  /** Rejects if the service does not accept the decision. */
  onDecide: (wish: Wish) => Promise<void>;
  /** The conversation it belongs to, if that is not on screen. */
  place?: ComponentChildren;
}

/** A pending action: the tool, its exact arguments and the possible decisions. */
export function ActionCard({ action, onDecide, place }: ActionCardProps): JSX.Element {
  const { kind, tool, server, expires_at } = action;
  const id = useId();
  const isOver = useIsOver(expires_at);
  // One level below the heading of the reply or the page.
  const Heading = place ? 'h2' : 'h3';
  return (
    <section class="card stack tight action" aria-labelledby={id}>
      <Heading id={id}>
        <Icon name={kind === 'unknown' ? 'warning' : 'info'} />
        <span>
          {t(`ask_${kind}`)} <code>{kind === 'connect' || kind === 'input' ? (server ?? tool) : tool}</code>
        </span>
      </Heading>
      {place}
      {kind === 'connect' || kind === 'input' ? (
        <Question action={action} onDecide={onDecide} isOpen={mayDecide(action) && !isOver} />
      ) : (
        <>
          <p>{t(consequence(action))}</p>
          {action.edited && <p class="label">{t('arguments_edited')}</p>}
          <ReadableArguments value={action.arguments} />
          {mayDecide(action) && !isOver && <Answers action={action} onDecide={onDecide} />}
        </>
      )}
      {(isOver || !mayDecide(action)) && (
        <p class="soft">
          {t(isOver ? 'is_over' : action.approver === 'admin' ? 'waits_for_admin' : 'waits_for_group')}
        </p>
      )}
      {expires_at && !isOver && (
        <p class="soft">
          {t('decide_until')} <Time at={expires_at} />
        </p>
      )}
    </section>
  );
}

/** Approvers see only actions that they may decide. */
function mayDecide({ approver, user_id }: ActionDto): boolean {
  return (approver === 'user') === (user_id === user.value?.id);
}

function consequence({ kind, read_only, destructive }: ActionDto): Parameters<typeof t>[0] {
  if (kind === 'unknown') return 'unknown_hint';
  if (read_only) return 'only_reads';
  return destructive ? 'may_destroy' : 'changes';
}

function useIsOver(instant: string | null): boolean {
  const left = instant === null ? Infinity : Date.parse(instant) - Date.now();
  const [, draw] = useState(0);
  useEffect(() => {
    if (left <= 0 || left > LONGEST_TIMER) return undefined;
    const timer = setTimeout(() => draw((count) => count + 1), left);
    return () => clearTimeout(timer);
  }, [instant]);
  return left <= 0;
}

function Answers({ action, onDecide }: Pick<ActionCardProps, 'action' | 'onDecide'>): JSX.Element {
  const [form, setForm] = useState<AnswerKind | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [remember, setRemember] = useState<Remembered>(undefined);
  const { arguments_hash, kind, can_remember } = action;
  const decide = async (decision: Wish['decision'], more: Partial<Wish> = {}): Promise<void> => {
    setIsBusy(true);
    await attempt(() => onDecide({ decision, arguments_hash, ...more }));
    setIsBusy(false);
  };
  if (form) {
    return (
      <AnswerForm
        kind={form}
        action={action}
        onDecide={onDecide}
        beside={<Button onClick={() => setForm(null)}>{shell('cancel')}</Button>}
      />
    );
  }
  if (kind === 'unknown') {
    return (
      <div class="row">
        <Button busy={isBusy} icon="refresh" onClick={() => void decide('retry')}>
          {t('retry')}
        </Button>
        <Button icon="check" onClick={() => setForm('done')}>
          {t('done')}
        </Button>
        <Button icon="close" onClick={() => setForm('failed')}>
          {t('failed')}
        </Button>
      </div>
    );
  }
  return (
    <>
      {can_remember && <NextTime value={remember} onChange={setRemember} />}
      <div class="row">
        <Button
          kind="primary"
          icon="check"
          busy={isBusy}
          onClick={() => void decide('approve', remember ? { remember } : {})}
        >
          {t('approve')}
        </Button>
        <Button icon="close" onClick={() => setForm('deny')}>
          {t('deny')}
        </Button>
        <Button icon="edit" onClick={() => setForm('edit')}>
          {t('edit_arguments')}
        </Button>
      </div>
    </>
  );
}

/** Whether the tool needs approval again next time, which is the default. */
function NextTime({ value, onChange }: { value: Remembered; onChange: (value: Remembered) => void }): JSX.Element {
  const name = useId();
  return (
    <fieldset class="field">
      <legend class="label">{t('next_time')}</legend>
      {NEXT_TIMES.map(([remember, text]) => (
        <label key={text} class="check">
          <input type="radio" name={name} checked={value === remember} onChange={() => onChange(remember)} />
          <span>{t(text)}</span>
        </label>
      ))}
    </fieldset>
  );
}
