import { ConnectionError } from 'chat-service-client';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Area, loadTexts } from '../languages';
import { useLoad } from '../load';
import { Failed, Loading } from './states';

/** Pages that are loaded when they are first shown, with their texts. */
export function lazy(load: () => Promise<ComponentType>, ...areas: Area[]): () => JSX.Element {
  let ready: ComponentType | undefined;
  return function Lazy() {
    const { error, reload } = useLoad(async () => {
      if (!ready) [ready] = await Promise.all([load(), loadTexts(...areas)]).catch(explain);
      return true;
    }, []);
    // A new version of the console has other files: the page as a whole is loaded again, once.
    useEffect(() => {
      if (!error || error instanceof ConnectionError || sessionStorage.getItem('console-loaded-again')) return;
      sessionStorage.setItem('console-loaded-again', 'yes');
      location.reload();
    }, [error]);
    const Ready = ready;
    if (Ready) return <Ready />;
    return error ? <Failed error={error} retry={reload} /> : <Loading />;
  };
}

/** Tells a service that cannot be reached from one that has other files by now. */
async function explain(error: unknown): Promise<never> {
  const page = await fetch(location.href, { method: 'HEAD' }).catch(() => null);
  throw page?.ok ? error : new ConnectionError(error);
}
