import type { Signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { useSearch } from 'wouter-preact';
import { attempt } from '../../../app/toasts';
import type { OpenChat } from '../state/open-chat/open-chat';

/** The id of the element of a message. */
export const messageElement = (id: number): string => `message-${id}`;

/**
 * Shows the message that a search has found, in the version in which it was found, and scrolls to it.
 *
 * @returns its id, so that the list renders and highlights it; null if the address names none
 */
export function useFoundMessage(openChat: OpenChat, isAtEnd: Signal<boolean>): number | null {
  const wanted = Number(new URLSearchParams(useSearch()).get('message')) || null;
  const [found, setFound] = useState<number | null>(null);
  useEffect(() => {
    if (wanted === null) return setFound(null);
    let isCurrent = true;
    void attempt(() => openChat.reach(wanted)).then((isThere) => isCurrent && isThere && setFound(wanted));
    return () => void (isCurrent = false);
  }, [openChat, wanted]);
  useEffect(() => {
    if (found === null) return;
    isAtEnd.value = false;
    document.getElementById(messageElement(found))?.scrollIntoView({ block: 'center' });
  }, [found]);
  return found;
}
