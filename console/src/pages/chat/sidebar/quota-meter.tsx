import type { JSX } from 'preact';
import { formatNumber, formatShort, formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { workspace } from '../state/workspace';

const t = texts('chat');

/** The remaining quota of today. Renders nothing for users without a limit. */
export function QuotaMeter(): JSX.Element | null {
  const { quota } = workspace().quota;
  if (!quota.value) return null;
  const { messages, tokens, resets_at } = quota.value;
  return (
    <div class="quota" title={t('quota_resets', { time: formatTime(resets_at) })}>
      <Allowance allowance={messages} text={(left) => t('messages_left', { count: left, left: formatNumber(left) })} />
      <Allowance allowance={tokens} text={(left) => t('tokens_left', { left: formatShort(left) })} />
    </div>
  );
}

interface AllowanceProps {
  allowance: { limit: number | null; remaining: number | null };
  text: (left: number) => string;
}

function Allowance({ allowance: { limit, remaining }, text }: AllowanceProps): JSX.Element | null {
  if (limit === null || remaining === null) return null;
  return (
    <label>
      <span>{text(remaining)}</span>
      <meter min={0} max={limit} low={limit * 0.1} optimum={limit} value={remaining} />
    </label>
  );
}
