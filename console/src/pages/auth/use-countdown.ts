import { useEffect, useState } from 'preact/hooks';

/** Returns the seconds left and a function that starts the countdown. A suspended tab does not delay it. */
export function useCountdown(): [left: number, begin: (seconds: number) => void] {
  const [end, setEnd] = useState(0);
  const [now, setNow] = useState(0);
  const left = Math.max(0, Math.ceil((end - now) / 1000));

  useEffect(() => {
    if (left === 0) return undefined;
    const timer = setTimeout(() => setNow(Date.now()), 1000);
    return () => clearTimeout(timer);
  }, [left, now]);

  const begin = (seconds: number): void => {
    setNow(Date.now());
    setEnd(Date.now() + seconds * 1000);
  };
  return [left, begin];
}
