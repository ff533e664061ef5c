import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { DailyPlots, type Day } from '../plot/daily-plots';

const t = texts('admin');

/** The course of what was used, day by day. */
export function UsagePlots({ days }: { days: Day[] }): JSX.Element {
  return <DailyPlots days={days} labels={{ messages: t('messages'), tokens: t('tokens') }} />;
}
