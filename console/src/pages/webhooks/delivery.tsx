import type { AttemptDto, DeliveryDetailDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { formatDuration, formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Show } from '../../components/states';
import { DeliveryStatus } from './deliveries';

const t = texts('webhooks');

interface DeliveryProps {
  webhookId: number;
  id: number;
  canRedeliver: boolean;
  onClose: () => void;
}

/** One event on its way: what is sent, and how each attempt went. */
export function DeliveryDialog({ webhookId, id, canRedeliver, onClose }: DeliveryProps): JSX.Element {
  const path = { id: webhookId, delivery_id: id };
  const loaded = useLoad(async () => (await api.webhooks.readDelivery({ path })).data, [webhookId, id]);
  const redeliver = async (): Promise<void> => {
    await attempt(async () => toast((await api.webhooks.redeliver({ path })).message));
    loaded.reload();
  };
  return (
    <Dialog title={t('delivery')} onClose={onClose} wide>
      <Show loaded={loaded}>
        {(delivery) => (
          <>
            <Facts delivery={delivery} />
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

function Facts({ delivery }: { delivery: DeliveryDetailDto }): JSX.Element {
  return (
    <dl class="facts">
      <dt>{t('event')}</dt>
      <dd class="mono">{delivery.event}</dd>
      <dt>{t('status')}</dt>
      <dd>
        <DeliveryStatus status={delivery.status} />
      </dd>
      <dt>{t('happened')}</dt>
      <dd>{formatTime(delivery.created_at)}</dd>
      {delivery.next_attempt_at && (
        <>
          <dt>{t('next_attempt')}</dt>
          <dd>{formatTime(delivery.next_attempt_at)}</dd>
        </>
      )}
      <dt>webhook-id</dt>
      <dd class="mono">{delivery.event_id}</dd>
    </dl>
  );
}

function Attempt({ made }: { made: AttemptDto }): JSX.Element {
  const isSuccess = made.error === null;
  return (
    <li class="card stack">
      <div class="row">
        <span class={`badge ${isSuccess ? 'success' : 'danger'}`}>
          {made.status_code === null ? t('no_answer') : t('answered', { status: String(made.status_code) })}
        </span>
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
