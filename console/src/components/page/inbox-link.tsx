import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { formatNumber } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { Inbox, MOST_WAITING } from '../../app/inbox';
import { visit } from '../../app/visit';
import { Icon } from '../icon';

const t = texts('shell');

/** Leads to what waits for the person, and says how much it is. */
export function InboxLink({ path }: { path: string }): JSX.Element {
  const inbox = visit().part(Inbox);
  const count = inbox.count.value;
  useEffect(() => {
    if (inbox.waiting.peek() === null) inbox.catchUp();
  }, [inbox]);
  const label = count === 0 ? t('inbox') : t('inbox_count', { count });
  return (
    <Link
      href="/inbox"
      class="button quiet only-icon inbox-link"
      title={label}
      aria-label={label}
      aria-current={path === '/inbox' ? 'page' : undefined}
    >
      <Icon name="inbox" />
      {count > 0 && <span class="count">{count < MOST_WAITING ? formatNumber(count) : `${formatNumber(99)}+`}</span>}
    </Link>
  );
}
