import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Sets `data-before` and `data-after` on an element that has more content to the left or right, for the style sheet.
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
