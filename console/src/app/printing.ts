import { createContext } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Whether the content is rendered for print. Then nothing may wait until it scrolls into view. */
export const Printed = createContext(false);

/** Whether the browser is printing. The change is rendered before the browser lays out the printed pages. */
export function usePrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false);
  useEffect(() => {
    const begin = (): void => setIsPrinting(true);
    const end = (): void => setIsPrinting(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}
