import { texts } from '../../../../app/i18n/languages';
import { notify } from '../../../../app/notifications';
import type { LiveReply } from './live-reply';

const t = texts('chat');

/** Only the beginning of a longer reply is announced. */
const MOST_ANNOUNCED = 500;

/** After this time, the user may have switched to another tab. */
const LONG_REPLY_MILLISECONDS = 10_000;

/** The screen reader announcement for a completed reply. */
export function announcementOf({ text, end }: LiveReply): string {
  const words = text.peek();
  if (end?.status === 'requires_action') return t('waits_for_you');
  const isEmpty = end?.status === 'completed' && words.trim() === '';
  return isEmpty ? t('no_text') : words.slice(0, MOST_ANNOUNCED);
}

/**
 * Notifies users in another tab that a long reply has ended.
 *
 * @param title title of the chat
 */
export function notifyOfEnd({ startedAt }: LiveReply, title: string): void {
  if (performance.now() - startedAt >= LONG_REPLY_MILLISECONDS) notify(t('reply_done'), title);
}
