import { formatTraceparent, parseTraceparent } from './trace-context';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each<[string, number]>([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    // Other flags, and what later versions append, are ignored.
    [`00-${TRACE}-${SPAN}-ff`, 1],
    [`01-${TRACE}-${SPAN}-01-later`, 1],
  ])('is read: %s', (header, traceFlags) => {
    const context = parseTraceparent(header);
    expect(context).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true });
    expect(context && formatTraceparent(context)).toBe(`00-${TRACE}-${SPAN}-0${traceFlags}`);
  });

  it.each([
    undefined,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN.slice(1)}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-1`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  ])('is ignored if it is malformed: %s', (header) => {
    expect(parseTraceparent(header)).toBeNull();
  });
});
