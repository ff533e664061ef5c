import '../../styles/parts/inbox-link.css';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Inbox, MOST_WAITING } from '../../app/feed/inbox';
import { formatNumber } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { visit } from '../../app/visit';

const t = texts('acting');

/** A link to the pending actions of the user, with their number. */
export function InboxLink({ path }: { path: string }): JSX.Element {
  const inbox = visit().part(Inbox);
  const count = inbox.count.value;
  useEffect(() => inbox.begin(), [inbox]);
  const label = count === 0 ? t('inbox') : t('inbox_count', { count });
  return (
    <Link
      href="/inbox"
      class="button quiet only-icon inbox-link"
      title={label}
      aria-label={label}
      aria-current={path === '/inbox' ? 'page' : undefined}
    >
      <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M4 13l3-8h10l3 8v6H4zM4 13h5l1 3h4l1-3h5" />
      </svg>
      {count > 0 && <span class="count">{count < MOST_WAITING ? formatNumber(count) : `${formatNumber(99)}+`}</span>}
    </Link>
  );
}
