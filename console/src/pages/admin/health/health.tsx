import { ApiError, type DependencyDto, type HealthDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatDuration, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Facts } from '../../../components/facts';
import { Page } from '../../../components/page/page';
import { Show } from '../../../components/states';
import { Time } from '../../../components/time';

const t = texts('admin');

const REFRESH_MILLISECONDS = 10_000;

/** The build creates this file. */
const NOTICES = '/console/third-party-notices.txt';

const REASONS = ['key_refused', 'not_found', 'limited', 'timeout', 'unreachable', 'failed', 'not_configured'] as const;

/** The state of the service and its dependencies. It refreshes while the page is open. */
export function Health(): JSX.Element {
  const loaded = useLoad(read, []);
  const { reload } = loaded;
  useEffect(() => {
    const refresh = (): void => void (document.visibilityState === 'visible' && reload());
    const timer = setInterval(refresh, REFRESH_MILLISECONDS);
    addEventListener('visibilitychange', refresh);
    return () => {
      clearInterval(timer);
      removeEventListener('visibilitychange', refresh);
    };
  }, [reload]);
  return (
    <Page
      title={t('page_health')}
      actions={
        <Button icon="refresh" busy={loaded.isLoading} onClick={reload}>
          {t('refresh')}
        </Button>
      }
    >
      <Show loaded={loaded}>
        {(health) => (
          <>
            <p class={`notice ${health.status === 'ok' ? 'success' : 'danger'}`} role="status">
              {t(health.status === 'ok' ? 'health_ok' : 'health_unavailable')}
            </p>
            <div class="cards wide">
              {Object.entries(health.checks).map(([name, dependency]) => (
                <Dependency key={name} name={name} dependency={dependency} />
              ))}
            </div>
            <Facts
              facts={[
                [t('service_version'), health.version],
                [t('uptime'), uptimeText(health.uptime_seconds)],
                [
                  t('third_party_notices'),
                  <a key="notices" href={NOTICES} target="_blank" rel="noreferrer">
                    {NOTICES.slice(NOTICES.lastIndexOf('/') + 1)}
                  </a>,
                ],
              ]}
            />
          </>
        )}
      </Show>
    </Page>
  );
}

/** A service that is not ready responds with 503 and the same report. */
async function read(): Promise<HealthDto> {
  try {
    return await api.health.check();
  } catch (error) {
    if (error instanceof ApiError && 'checks' in error.details) return error.details as unknown as HealthDto;
    throw error;
  }
}

function Dependency({ name, dependency }: { name: string; dependency: DependencyDto }): JSX.Element {
  const { status, required, detail, latency_ms, checked_at } = dependency;
  const reason = REASONS.find((known) => known === dependency.reason);
  const known = CHECKS.find((check) => check === name);
  return (
    <section class="card stack tight">
      <div class="row spread">
        <h2>{known ? t(`check_${known}`) : name}</h2>
        {status === 'up' && <Up name={name} isAsked={checked_at !== undefined} />}
        {status === 'down' && (
          <Badge tone={required ? 'danger' : 'warning'} icon="warning">
            {t('down')}
          </Badge>
        )}
        {status === 'absent' && <Badge>{t('absent')}</Badge>}
      </div>
      {reason && <p>{t(`reason_${reason}`)}</p>}
      {name === 'mail' && status === 'absent' && <p>{t('mail_absent')}</p>}
      <Facts
        facts={[
          ...(detail ? [[t('detail'), detail] as [string, string]] : []),
          [t('required'), t(required ? 'required_yes' : 'required_no')],
          ...(latency_ms === undefined ? [] : [[t('latency'), formatDuration(latency_ms)] as [string, string]]),
          ...(checked_at ? [[t('checked_at'), <Time key="at" at={checked_at} />] as [string, JSX.Element]] : []),
        ]}
      />
    </section>
  );
}

const CHECKS = ['database', 'redis', 'mail', 'model_provider', 'knowledge'] as const;

/** Third-party systems. A successful connection does not prove that models reply or that mail arrives. */
const OTHERS = ['model_provider', 'mail'];

/** If no request has been sent to a third-party system yet, its state is unknown. */
function Up({ name, isAsked }: { name: string; isAsked: boolean }): JSX.Element {
  const isOther = OTHERS.includes(name);
  if (isOther && !isAsked) return <Badge>{t('not_asked')}</Badge>;
  return (
    <Badge tone="success" icon="check">
      {t(isOther ? 'reachable' : 'up')}
    </Badge>
  );
}

function uptimeText(seconds: number): string {
  const unit = (['day', 'hour', 'minute', 'second'] as const).find((name) => seconds >= LENGTHS[name]) ?? 'second';
  return formatNumber(Math.floor(seconds / LENGTHS[unit]), { style: 'unit', unit, unitDisplay: 'long' });
}

const LENGTHS = { day: 86_400, hour: 3600, minute: 60, second: 1 };
