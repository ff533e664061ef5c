import { texts } from '../../../../app/i18n/languages';
import { notify } from '../../../../app/notifications';
import type { LiveReply } from './live-reply';

const t = texts('chat');

/** Of a longer reply its beginning is announced. */
const MOST_ANNOUNCED = 500;

/** Whoever waits longer may look at something else meanwhile. */
const LONG_REPLY_MILLISECONDS = 10_000;

/** What a screen reader says of a reply that has ended. */
export function announcementOf({ text, end }: LiveReply): string {
  const words = text.peek();
  if (end?.status === 'requires_action') return t('waits_for_you');
  const isEmpty = end?.status === 'completed' && words.trim() === '';
  return isEmpty ? t('no_text') : words.slice(0, MOST_ANNOUNCED);
}

/** Tells who looks at something else that a long reply has ended. @param title of its chat */
export function notifyOfEnd({ startedAt }: LiveReply, title: string): void {
  if (performance.now() - startedAt >= LONG_REPLY_MILLISECONDS) notify(t('reply_done'), title);
}
