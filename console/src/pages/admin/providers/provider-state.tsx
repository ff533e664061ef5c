import type { ProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { Badge } from '../../../components/badge';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';

const t = texts('manage');

type Outcome = NonNullable<ProviderDto['last_outcome']>;

/** Facts besides the last outcome. A readable model list does not prove that models reply. */
interface Contact {
  reachable?: boolean | null;
  answered_at?: string | null;
}

/** Whether a provider is known to reply. */
export function ProviderState({ provider }: { provider: ProviderDto & Contact }): JSX.Element {
  const { is_active, circuit, last_outcome, reachable = last_outcome && last_outcome.ok, answered_at } = provider;
  if (!is_active) return <Badge>{t('switched_off')}</Badge>;
  if (circuit !== 'closed') {
    return (
      <Badge tone="danger" icon="warning">
        {t(circuit === 'open' ? 'circuit_open' : 'circuit_half_open')}
      </Badge>
    );
  }
  if (last_outcome && !last_outcome.ok) return <LastFailure outcome={last_outcome} />;
  if (answered_at) {
    return (
      <>
        <Badge tone="success" icon="check">
          {t('answers')}
        </Badge>
        <p class="soft">{t('answered_at', { time: formatTime(answered_at) })}</p>
      </>
    );
  }
  if (reachable === null) return <Badge>{t('never_asked')}</Badge>;
  return reachable ? (
    <>
      <Badge tone="accent">{t('reachable')}</Badge>
      <p class="soft">{t('reachable_hint')}</p>
    </>
  ) : (
    <Badge tone="warning" icon="warning">
      {t('not_reachable')}
    </Badge>
  );
}

function LastFailure({ outcome: { at, status, message, code } }: { outcome: Outcome }): JSX.Element {
  return (
    <>
      <Badge tone="danger" icon="warning">
        {t('last_failed')}
      </Badge>
      <details>
        <summary>
          <Time at={at} />
        </summary>
        <UserText>{[status, message ?? code].filter(Boolean).join(' ')}</UserText>
      </details>
    </>
  );
}
