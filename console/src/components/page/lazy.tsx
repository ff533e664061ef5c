import { ConnectionError } from 'chat-service-client';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Area, loadTexts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { Failed, Loading } from '../states';

interface LazyPages {
  (): JSX.Element;
  /** Starts loading before the pages are shown. Returns whether loading succeeded. */
  preload: () => Promise<boolean>;
}

/** Pages, or parts of a page, that are loaded with their texts when they are first shown. */
export function lazy(load: () => Promise<ComponentType>, ...areas: Area[]): LazyPages;
export function lazy<Properties extends object>(
  load: () => Promise<ComponentType<Properties>>,
  ...areas: Area[]
): (properties: Properties) => JSX.Element;
export function lazy<Properties extends object>(
  load: () => Promise<ComponentType<Properties>>,
  ...areas: Area[]
): (properties: Properties) => JSX.Element {
  let ready: ComponentType<Properties> | undefined;
  let loading: Promise<unknown> | undefined;
  const loadOnce = (): Promise<unknown> => {
    loading ??= Promise.all([load(), loadTexts(...areas)]).then(
      ([pages]) => (ready = pages),
      (error: unknown) => {
        loading = undefined;
        return explain(error);
      },
    );
    return loading;
  };
  function Lazy(properties: Properties): JSX.Element {
    const { error, reload } = useLoad(loadOnce, []);
    // After a release, the chunks have other names. Reloading the document once loads the new version.
    useEffect(() => {
      if (!error || error instanceof ConnectionError || sessionStorage.getItem('console-loaded-again')) return;
      sessionStorage.setItem('console-loaded-again', 'yes');
      location.reload();
    }, [error]);
    const Ready = ready;
    if (Ready) return <Ready {...properties} />;
    return error ? <Failed error={error} retry={reload} /> : <Loading />;
  }
  // A failure is reported when the page is shown.
  const preload = (): Promise<boolean> =>
    loadOnce().then(
      () => true,
      () => false,
    );
  return Object.assign(Lazy, { preload });
}

/**
 * Reports a connection error if the service is unreachable. Otherwise the chunk is missing because of a newer release.
 */
async function explain(error: unknown): Promise<never> {
  const page = await fetch(location.href, { method: 'HEAD' }).catch(() => null);
  throw page?.ok ? error : new ConnectionError(error);
}
