import { useReducer } from 'preact/hooks';

/** A counter that triggers a reload, and a function that increments it. */
export function useVersion(): [number, () => void] {
  const [version, raise] = useReducer((count: number, _nothing: void) => count + 1, 0);
  return [version, raise];
}
