import { useReducer } from 'preact/hooks';

/** A number that says when to load again, and how to raise it. */
export function useVersion(): [number, () => void] {
  const [version, raise] = useReducer((count: number, _nothing: void) => count + 1, 0);
  return [version, raise];
}
