import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { DailyPlots, type Day } from '../../components/plot/daily-plots';

const t = texts('account');

export function OwnPlots({ days }: { days: Day[] }): JSX.Element {
  return (
    <DailyPlots
      days={days}
      labels={{ messages: t('messages'), tokens: t('tokens') }}
      titles={{ messages: t('messages_by_day'), tokens: t('tokens_by_day') }}
    />
  );
}
