import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { DailyPlots, type Day } from '../plot/daily-plots';

const t = texts('admin');

export function UsagePlots({ days }: { days: Day[] }): JSX.Element {
  return <DailyPlots days={days} labels={{ messages: t('messages'), tokens: t('tokens') }} />;
}
