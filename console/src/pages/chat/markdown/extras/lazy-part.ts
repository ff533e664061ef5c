import { useEffect, useState } from 'preact/hooks';

/** A module that only some replies need, loaded with the first of them. */
export interface LazyPart<Loaded> {
  /** A hook. It returns undefined while the module loads, and if loading fails. */
  use: () => Loaded | undefined;
}

export function lazyPart<Loaded>(load: () => Promise<Loaded>): LazyPart<Loaded> {
  let ready: Loaded | undefined;
  let loading: Promise<unknown> | undefined;
  const loadOnce = async (): Promise<void> => {
    try {
      loading ??= load().then((loaded) => (ready = loaded));
      await loading;
    } catch {
      // The text remains as source, and the next reply tries again.
      loading = undefined;
    }
  };
  return {
    use: () => {
      const [, setIsReady] = useState(ready !== undefined);
      useEffect(() => {
        let isGone = false;
        if (!ready) void loadOnce().then(() => !isGone && setIsReady(true));
        return () => {
          isGone = true;
        };
      }, []);
      return ready;
    },
  };
}
