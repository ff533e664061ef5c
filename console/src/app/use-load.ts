import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<Data> {
  /** The latest result. It stays while new data is loading. */
  data: Data | undefined;
  error: unknown;
  isLoading: boolean;
  reload: () => void;
}

/** Loads the data of a page, and again when one of `dependencies` changes. Outdated responses are ignored. */
export function useLoad<Data>(load: () => Promise<Data>, dependencies: readonly unknown[]): Loaded<Data> {
  const [state, setState] = useState<{ data?: Data; error?: unknown; isLoading: boolean }>({ isLoading: true });
  const asked = useRef(0);
  const reload = useCallback(() => {
    const question = ++asked.current;
    setState(({ data }) => ({ data, isLoading: true }));
    load().then(
      (data) => question === asked.current && setState({ data, isLoading: false }),
      (error: unknown) => question === asked.current && setState(({ data }) => ({ data, error, isLoading: false })),
    );
    // `load` is a new function on every render, so only `dependencies` count.
  }, dependencies);
  useEffect(() => {
    reload();
    return () => void asked.current++;
  }, [reload]);
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload };
}
