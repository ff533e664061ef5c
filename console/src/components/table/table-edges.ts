import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Says by `data-before` and `data-after` of an element whether more of it lies beside what is seen, so that the style sheet
 * can show it.
 */
export function useEdges(): { ref: RefObject<HTMLDivElement>; look: () => void } {
  const ref = useRef<HTMLDivElement>(null);
  const look = (): void => {
    const { current: box } = ref;
    const frame = box?.parentElement;
    if (!box || !frame) return;
    frame.toggleAttribute('data-before', box.scrollLeft > 1);
    frame.toggleAttribute('data-after', box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  };
  useLayoutEffect(() => {
    const { current: box } = ref;
    if (!box) return undefined;
    const observer = new ResizeObserver(look);
    observer.observe(box);
    const [content] = box.children;
    if (content) observer.observe(content);
    return () => observer.disconnect();
  }, []);
  return { ref, look };
}
