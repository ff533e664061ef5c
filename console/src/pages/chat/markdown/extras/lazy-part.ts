import { useEffect, useState } from 'preact/hooks';

/** A part of the program that only some replies need: the first of them loads it. */
export interface LazyPart<Loaded> {
  /** For a component: undefined until it is there, and for good when it cannot be loaded. */
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
      // The text stays as it was written, and the next reply tries again.
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
