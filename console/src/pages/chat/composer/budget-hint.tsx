import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { workspace } from '../state/workspace';

const t = texts('chat');

/** A warning that a budget is nearly or fully used. Renders nothing otherwise. */
export function BudgetHint(): JSX.Element | null {
  const warning = workspace().budget.warning.value;
  if (!warning) return null;
  const { kind, resetsAt } = warning;
  return (
    <p class="budget-hint" role="status">
      {t(`budget_${kind}`)} {resetsAt && `${t('quota_resets', { time: formatTime(resetsAt) })} · `}
      <Link href="/account/usage">{t('see_budget')}</Link>
    </p>
  );
}
