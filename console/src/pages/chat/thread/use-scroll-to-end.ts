import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const NEAR_PIXELS = 60;

interface Scrolling {
  scroller: RefObject<HTMLDivElement>;
  content: RefObject<HTMLDivElement>;
  isAtEnd: Signal<boolean>;
  toEnd: () => void;
}

/** Keeps the end of a growing text in view while the user is at the end. */
export function useScrollToEnd(): Scrolling {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useSignal(true);

  const toEnd = (): void => {
    isAtEnd.value = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  };

  useEffect(() => {
    const view = scroller.current;
    const text = content.current;
    if (!view || !text) return undefined;
    let lastTop = view.scrollTop;
    const follow = (): void => {
      const isNear = view.scrollHeight - view.scrollTop - view.clientHeight < NEAR_PIXELS;
      // Only scrolling up leaves the end. A growing text does not.
      if (isNear) isAtEnd.value = true;
      else if (view.scrollTop < lastTop - 1) isAtEnd.value = false;
      lastTop = view.scrollTop;
    };
    const growth = new ResizeObserver(() => {
      if (isAtEnd.peek()) view.scrollTop = view.scrollHeight;
      lastTop = view.scrollTop;
    });
    growth.observe(text);
    growth.observe(view);
    view.addEventListener('scroll', follow, { passive: true });
    return () => {
      growth.disconnect();
      view.removeEventListener('scroll', follow);
    };
  }, []);

  return { scroller, content, isAtEnd, toEnd };
}
