import { ApiError, ConnectionError } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { failureText } from '../app/failure-text';
import { texts } from '../app/i18n/languages';
import type { Loaded } from '../app/use-load';
import { Button } from './button';
import { Icon, type IconName } from './icon';

const t = texts('shell');

interface StateProps {
  icon: IconName;
  children: ComponentChildren;
}

function State({ icon, children }: StateProps): JSX.Element {
  return (
    <div class="state">
      <Icon name={icon} />
      {children}
    </div>
  );
}

/** Grey lines in the place of the content. */
export function Loading(): JSX.Element {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">{t('loading')}</span>
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}

/** An empty state. `children` suggests a next step. */
export function Empty({ icon = 'empty', children }: { icon?: IconName; children: ComponentChildren }): JSX.Element {
  return <State icon={icon}>{children}</State>;
}

/**
 * A failed load: the reason and a retry button. It retries automatically when the network is back and when
 * `Retry-After` has passed.
 */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }): JSX.Element {
  const isForbidden = error instanceof ApiError && error.status === 403;
  const isMissing = error instanceof ApiError && error.status === 404;
  const isConnection = error instanceof ConnectionError;
  // A layout effect runs before the paint, so that it does not miss an `online` event.
  useLayoutEffect(() => {
    if (!retry || !isConnection) return undefined;
    addEventListener('online', retry);
    return () => removeEventListener('online', retry);
  }, [retry, isConnection]);
  const wait = error instanceof ApiError ? error.retryAfter : null;
  useEffect(() => {
    if (!retry || wait === null) return undefined;
    const timer = setTimeout(retry, wait * 1_000);
    return () => clearTimeout(timer);
  }, [error]);
  return (
    <div class="state" role="alert">
      <Icon name="warning" />
      <p>{failureText(error, retry !== undefined)}</p>
      {error instanceof ApiError && error.requestId && <p class="soft">{t('request_id', { id: error.requestId })}</p>}
      {retry && !isForbidden && !isMissing && (
        <Button icon="refresh" onClick={retry}>
          {t('try_again')}
        </Button>
      )}
    </div>
  );
}

/** Renders the data, or the loading or failed state. */
export function Show<Data>({
  loaded,
  children,
}: {
  loaded: Loaded<Data>;
  children: (data: Data) => ComponentChildren;
}): JSX.Element {
  if (loaded.data !== undefined && !loaded.error) return <>{children(loaded.data)}</>;
  return loaded.error ? <Failed error={loaded.error} retry={loaded.reload} /> : <Loading />;
}
