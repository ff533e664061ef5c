import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<Data> {
  /** The newest answer; it stays while a newer one is loaded. */
  data: Data | undefined;
  error: unknown;
  isLoading: boolean;
  reload: () => void;
}

/**
 * Loads what a page shows, again when one of `dependencies` changes. An answer that comes after a newer question is
 * thrown away.
 */
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
    // `load` is a new function at each drawing; `dependencies` say when it means another thing.
  }, dependencies);
  useEffect(() => {
    reload();
    return () => void asked.current++;
  }, [reload]);
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload };
}
