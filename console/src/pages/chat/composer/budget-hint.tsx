import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { workspace } from '../state/workspace';

const t = texts('chat');

/** Says that little or nothing is left of a budget. Who has no budget, or enough of it, sees nothing. */
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
