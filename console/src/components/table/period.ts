import { texts } from '../../app/i18n/languages';

const t = texts('admin');

/** Filters for the days of a list. */
export const period = (): { name: string; label: string; kind: 'date' }[] => [
  { name: 'from', label: t('from'), kind: 'date' },
  { name: 'to', label: t('to'), kind: 'date' },
];
