import { useEffect } from 'preact/hooks';
import { attempt } from '../../../app/toasts';
import type { OpenChat } from '../state/open-chat/open-chat';

/**
 * Prints the whole chat. It also handles the browser's shortcut, because nothing can be loaded once printing has
 * started.
 */
export function usePrint({ stored }: OpenChat): () => void {
  const printAll = async (): Promise<void> => {
    if (await attempt(() => stored.readAll())) print();
  };
  useEffect(() => {
    const act = (event: KeyboardEvent): void => {
      const isPrint =
        (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'p';
      if (!isPrint || !stored.hasOlder.peek()) return;
      event.preventDefault();
      void printAll();
    };
    addEventListener('keydown', act);
    return () => removeEventListener('keydown', act);
  }, [stored]);
  return () => void printAll();
}
