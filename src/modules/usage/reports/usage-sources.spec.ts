import { formatDay, parseDay } from '../../../common/utc-day';
import { sourcesByUser, sourcesOfAll } from './usage-sources';
import { firstDayOf, utcMonth } from './utc-month';

const summary = (sources: ReturnType<typeof sourcesByUser>) =>
  sources.map(({ table, column, from, to }) => {
    const text = (number: number) => (column === 'day' ? formatDay(number) : formatDay(firstDayOf(number)).slice(0, 7));
    return `${table} ${text(from)}..${text(to)}`;
  });

describe('the tables that a report reads', () => {
  it.each([
    ['2026-01-01', '2026-03-31', '2026-03-31', ['usage_user_months 2026-01..2026-03']],
    [
      '2026-01-01',
      '2026-03-31',
      '2026-03-30',
      ['usage_user_months 2026-01..2026-02', 'usage_rollups 2026-03-01..2026-03-31'],
    ],
    [
      '2025-12-15',
      '2026-02-10',
      '2026-02-09',
      [
        'usage_rollups 2025-12-15..2025-12-31',
        'usage_user_months 2026-01..2026-01',
        'usage_rollups 2026-02-01..2026-02-10',
      ],
    ],
    ['2026-01-02', '2026-01-31', '2026-02-09', ['usage_rollups 2026-01-02..2026-01-31']],
    ['2026-01-02', '2026-02-27', '2026-03-09', ['usage_rollups 2026-01-02..2026-02-27']],
    ['2026-02-01', '2026-02-28', '1969-12-31', ['usage_rollups 2026-02-01..2026-02-28']],
  ])('by user from %s to %s, closed to %s', (from, to, closed, expected) => {
    expect(summary(sourcesByUser(parseDay(from), parseDay(to), parseDay(closed)))).toEqual(expected);
  });

  it.each([
    [
      '2026-01-01',
      '2026-01-10',
      '2026-01-04',
      ['usage_closed_days 2026-01-01..2026-01-04', 'usage_rollups 2026-01-05..2026-01-10'],
    ],
    ['2026-01-01', '2026-01-10', '2026-02-01', ['usage_closed_days 2026-01-01..2026-01-10']],
    ['2026-01-05', '2026-01-10', '2026-01-04', ['usage_rollups 2026-01-05..2026-01-10']],
    ['2026-01-10', '2026-01-01', '2026-01-04', []],
  ])('for all users from %s to %s, closed to %s', (from, to, closed, expected) => {
    expect(summary(sourcesOfAll(parseDay(from), parseDay(to), parseDay(closed)))).toEqual(expected);
  });

  it('counts months by their UTC days', () => {
    expect(formatDay(firstDayOf(utcMonth(parseDay('2024-02-29'))))).toBe('2024-02-01');
    expect(utcMonth(parseDay('2025-01-01')) - utcMonth(parseDay('2024-12-31'))).toBe(1);
  });
});
