import fc from 'fast-check';
import { type BudgetWindow, Calendar } from './calendar-window';

const CREATED = new Date('2020-01-01T00:00:00Z');

/** Time zones with unusual clock changes. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Sao_Paulo',
  'America/Havana',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Marquesas',
  'Etc/GMT+12',
];

function boundsOf(zone: string, window: BudgetWindow, at: string): [string, string | undefined] {
  const { start, end } = new Calendar(zone).currentWindow(window, new Date(at), CREATED);
  return [start.toISOString(), end?.toISOString()];
}

describe('the window of a budget', () => {
  it.each<[string, BudgetWindow, string, string, string]>([
    ['UTC', 'day', '2026-03-29T23:59:59.999Z', '2026-03-29T00:00:00.000Z', '2026-03-30T00:00:00.000Z'],
    ['UTC', 'week', '2026-03-30T00:00:00.000Z', '2026-03-30T00:00:00.000Z', '2026-04-06T00:00:00.000Z'],
    ['UTC', 'week', '2026-03-29T23:59:59.999Z', '2026-03-23T00:00:00.000Z', '2026-03-30T00:00:00.000Z'],
    ['UTC', 'month', '2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['UTC', 'month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    // A day of 23 hours, and one of 25 hours.
    ['Europe/Berlin', 'day', '2026-03-29T12:00:00.000Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', 'day', '2026-10-25T12:00:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['Europe/Berlin', 'month', '2026-10-31T22:59:59.999Z', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'],
    ['Europe/Berlin', 'month', '2026-10-31T23:00:00.000Z', '2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z'],
    // Midnight was skipped: the day started at one o'clock.
    ['America/Sao_Paulo', 'day', '2018-11-04T15:00:00.000Z', '2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z'],
    // Clocks went back from midnight to eleven, so the day has 25 hours.
    ['America/Sao_Paulo', 'day', '2018-02-18T02:30:00.000Z', '2018-02-17T02:00:00.000Z', '2018-02-18T03:00:00.000Z'],
    // One minute after midnight clocks went back to eleven. The new day starts when they reach midnight again.
    ['America/St_Johns', 'day', '2010-11-07T02:30:30.000Z', '2010-11-06T02:30:00.000Z', '2010-11-07T03:30:00.000Z'],
    ['America/St_Johns', 'day', '2010-11-07T03:29:59.999Z', '2010-11-06T02:30:00.000Z', '2010-11-07T03:30:00.000Z'],
    ['America/St_Johns', 'day', '2010-11-07T03:30:00.000Z', '2010-11-07T03:30:00.000Z', '2010-11-08T03:30:00.000Z'],
    ['Asia/Kathmandu', 'week', '2026-06-14T18:15:00.000Z', '2026-06-14T18:15:00.000Z', '2026-06-21T18:15:00.000Z'],
    // The 30th of December 2011 did not exist in Samoa.
    ['Pacific/Apia', 'day', '2011-12-30T09:59:59.999Z', '2011-12-29T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
    ['Pacific/Apia', 'day', '2011-12-30T10:00:00.000Z', '2011-12-30T10:00:00.000Z', '2011-12-31T10:00:00.000Z'],
  ])('in %s, a %s, at %s', (zone, window, at, start, end) => {
    expect(boundsOf(zone, window, at)).toEqual([start, end]);
  });

  it('starts with the budget and has no end for a total', () => {
    expect(boundsOf('Europe/Berlin', 'total', '2026-01-01T00:00:00Z')).toEqual([CREATED.toISOString(), undefined]);
  });

  it('follows the previous one without a gap, in every zone at every time', () => {
    const window = fc.constantFrom<BudgetWindow>('day', 'week', 'month');
    const at = fc.date({ min: new Date('2005-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), window, at, (zone, kind, time) => {
        const calendar = new Calendar(zone);
        const bounds = (instant: Date) => calendar.currentWindow(kind, instant, CREATED) as { start: Date; end: Date };
        const { start, end } = bounds(time);
        expect(start.getTime()).toBeLessThanOrEqual(time.getTime());
        expect(end.getTime()).toBeGreaterThan(time.getTime());
        expect(bounds(new Date(end.getTime() - 1))).toEqual({ start, end });
        expect(bounds(start)).toEqual({ start, end });
        expect(bounds(end).start).toEqual(end);
      }),
      { numRuns: 300 },
    );
  });
});
