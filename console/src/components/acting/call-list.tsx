import '../../styles/parts/acting.css';
import type { ToolCallPartDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { formatDuration } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { Badge, type Tone } from '../badge';
import { GivenArguments } from './given-arguments';

const t = texts('acting');

type CallState = NonNullable<ToolCallPartDto['state']>;

const TONES: Partial<Record<CallState, Tone>> = {
  succeeded: 'success',
  waiting: 'warning',
  unknown: 'warning',
  denied: 'danger',
  expired: 'danger',
  failed: 'danger',
};

interface CallListProps {
  calls: {
    id: string;
    name: string;
    arguments: unknown;
    isEdited: boolean;
    state: CallState | null;
    result: string | null;
    milliseconds: number | null;
    progress?: { progress: number; total: number | null; message: string | null };
  }[];
  /** Whether the reply is still running. */
  isLive: boolean;
  /** Whether any call still needs a decision. */
  isWaiting: boolean;
}

/** The tool calls of a reply with arguments, state, result and duration. */
export function CallList({ calls, isLive, isWaiting }: CallListProps): JSX.Element {
  return (
    <ul class="calls" aria-label={t('calls')}>
      {calls.map(({ id, name, state, arguments: given, isEdited, result, milliseconds, progress }) => {
        const shown = shownState(state, isLive, isWaiting);
        return (
          <li key={id}>
            <details class="call">
              <summary>
                <code>{name}</code>{' '}
                <Badge tone={TONES[shown]}>
                  {shown === 'running' && <span class="spinner" />} {t(`state_${shown}`)}
                </Badge>{' '}
                {milliseconds !== null && <span class="soft">{formatDuration(milliseconds)}</span>}
              </summary>
              <p class="label">{t(isEdited ? 'arguments_edited' : 'arguments')}</p>
              <GivenArguments value={given} />
              {result !== null && (
                <>
                  <p class="label">{t('result')}</p>
                  <pre class="given" dir="auto" tabIndex={0} role="group" aria-label={t('result')}>
                    {result === '' ? '—' : result}
                  </pre>
                </>
              )}
            </details>
            {shown === 'running' && progress && <Progress {...progress} />}
          </li>
        );
      })}
    </ul>
  );
}

interface ProgressProps {
  progress: number;
  /** Null if unknown. */
  total: number | null;
  message: string | null;
}

function Progress({ progress, total, message }: ProgressProps): JSX.Element {
  return (
    <div class="call-progress">
      <progress aria-label={t('progress')} value={total ? progress : undefined} max={total ?? undefined} />
      {message !== null && <bdi class="soft">{message}</bdi>}
    </div>
  );
}

/**
 * A started call counts as running while the reply runs, and as waiting while any call needs a decision. Otherwise its
 * outcome is unknown.
 */
function shownState(state: CallState | null, isLive: boolean, isWaiting: boolean): CallState {
  if (state === 'waiting') return isLive && !isWaiting ? 'running' : state;
  const isBegun = state === null || state === 'proposed' || state === 'approved' || state === 'running';
  if (!isBegun) return state;
  return isLive ? 'running' : isWaiting ? 'waiting' : 'unknown';
}
