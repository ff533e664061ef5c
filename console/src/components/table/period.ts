import { texts } from '../../app/i18n/languages';

const t = texts('admin');

/**
 * Filters for a period of days.
 *
 * @param preset the days until today that the service uses if there is no period; absent: all
 */
export const period = (preset?: number): { name: string; label: string; kind: 'date'; preset?: number }[] => [
  { name: 'from', label: t('from'), kind: 'date', preset },
  { name: 'to', label: t('to'), kind: 'date' },
];
