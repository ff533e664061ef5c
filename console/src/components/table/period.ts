import { texts } from '../../app/i18n/languages';

const t = texts('admin');

/** Filters for a period of days. */
export const period = (): { name: string; label: string; kind: 'date' }[] => [
  { name: 'from', label: t('from'), kind: 'date' },
  { name: 'to', label: t('to'), kind: 'date' },
];
