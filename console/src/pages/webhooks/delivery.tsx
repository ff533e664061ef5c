import type { AttemptDto, DeliveryDetailDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { formatDuration, formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Facts } from '../../components/facts';
import { Show } from '../../components/states';
import { DeliveryStatus } from './delivery-status';

const t = texts('webhooks');

interface DeliveryProps {
  webhookId: number;
  id: number;
  canRedeliver: boolean;
  onClose: () => void;
}

/** A delivery: its payload, and the result of each attempt. */
export function DeliveryDialog({ webhookId, id, canRedeliver, onClose }: DeliveryProps): JSX.Element {
  const path = { id: webhookId, delivery_id: id };
  const loaded = useLoad(async () => (await api.webhooks.readDelivery({ path })).data, [webhookId, id]);
  const redeliver = async (): Promise<void> => {
    await attempt(async () => toast((await api.webhooks.redeliver({ path })).message));
    loaded.reload();
  };
  return (
    <Dialog title={t('delivery')} onClose={onClose}>
      <Show loaded={loaded}>
        {(delivery) => (
          <>
            <DeliveryFacts delivery={delivery} />
            <div class="row">
              {canRedeliver && (
                <Button icon="send" onClick={() => void redeliver()}>
                  {t('redeliver')}
                </Button>
              )}
              <Button icon="refresh" onClick={loaded.reload}>
                {t('reload')}
              </Button>
            </div>
            <h3>{t('attempts')}</h3>
            {delivery.attempts.length === 0 ? (
              <p class="soft">{t('no_attempts')}</p>
            ) : (
              <ol class="plain-list stack">
                {delivery.attempts.map((made) => (
                  <Attempt key={made.started_at} made={made} />
                ))}
              </ol>
            )}
            <h3>{t('payload')}</h3>
            <pre class="code" tabIndex={0} role="region" aria-label={t('payload')}>
              {JSON.stringify(delivery.payload, null, 2)}
            </pre>
          </>
        )}
      </Show>
    </Dialog>
  );
}

function DeliveryFacts({ delivery }: { delivery: DeliveryDetailDto }): JSX.Element {
  const { event, status, created_at, next_attempt_at, event_id } = delivery;
  return (
    <Facts
      facts={[
        [
          t('event'),
          <span key="event" class="mono">
            {event}
          </span>,
        ],
        [t('status'), <DeliveryStatus key="status" status={status} />],
        [t('happened'), formatTime(created_at)],
        next_attempt_at && [t('next_attempt'), formatTime(next_attempt_at)],
        [
          'webhook-id',
          <span key="id" class="mono">
            {event_id}
          </span>,
        ],
      ]}
    />
  );
}

function Attempt({ made }: { made: AttemptDto }): JSX.Element {
  const isSuccess = made.error === null;
  return (
    <li class="card stack">
      <div class="row">
        <Badge tone={isSuccess ? 'success' : 'danger'}>
          {made.status_code === null ? t('no_answer') : t('answered', { status: String(made.status_code) })}
        </Badge>
        <span>{formatTime(made.started_at)}</span>
        <span class="soft">{formatDuration(made.duration_ms)}</span>
      </div>
      {made.error !== null && <p>{errorText(made.error)}</p>}
      {made.response_body && (
        <pre class="code" tabIndex={0} role="region" aria-label={t('answer')}>
          {made.response_body}
        </pre>
      )}
    </li>
  );
}

const ERRORS = ['timeout', 'connection_failed', 'status', 'redirect', 'forbidden_target'] as const;

function errorText(error: string): string {
  const known = ERRORS.find((name) => name === error);
  return known ? t(`error_${known}`) : error;
}
