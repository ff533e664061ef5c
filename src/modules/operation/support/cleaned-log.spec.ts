import { cleanLine, cleanMetrics } from './cleaned-log';

const cleaner = { nameOf: (id: number) => `u_${id}`, words: new Set(['api', 'v1', 'admin', 'users', 'chat']) };
const cleaned = (line: object) => JSON.parse(cleanLine(JSON.stringify(line), cleaner) ?? 'null') as unknown;

describe('a line of the log in a support bundle', () => {
  it('keeps what the service itself wrote', () => {
    const line = {
      level: 'warn',
      time: '2026-07-31T12:00:00.000Z',
      context: 'MailWorker',
      mail_id: 7,
      msg: 'A mail waits.',
    };
    expect(cleaned(line)).toEqual(line);
  });

  it('has a pseudonym of the user, and only known words and ids of the path', () => {
    expect(
      cleaned({
        method: 'GET',
        path: '/api/v1/admin/users/Ada/chat/7',
        user_id: 5,
        status: 404,
        request_id: 'Ada',
        msg: 'GET /Ada',
      }),
    ).toEqual({ method: 'GET', path: '/api/v1/admin/users/*/chat/7', user: 'u_5', status: 404 });
  });

  it.each([
    ['Sent to ada@example.com today.', 'Sent to [email] today.'],
    ['From 203.0.113.7 and 2001:db8::7.', 'From [address] and [address].'],
    ['The tool "Ada" or “Ada” failed.', 'The tool [value] or [value] failed.'],
    ['Bearer abcdefghijklmnopqrstuv', 'Bearer [hidden]'],
  ])('turns "%s" into "%s"', (msg, expected) => expect(cleaned({ msg })).toEqual({ msg: expected }));

  it('has the types and places of errors, but no messages', () => {
    const stack = 'Error: Duplicate entry Ada\n    at run (/app/dist/main.js:1:2)\n    at next (node:internal:3:4)';
    const error = {
      type: 'QueryFailedError',
      message: 'Duplicate entry Ada',
      code: 'ER_DUP_ENTRY',
      stack,
      values: ['Ada'],
    };
    expect(
      cleaned({
        error: { ...error, cause: { type: 'Error', message: 'Ada' } },
        server: 'Ada',
        answer: { text: 'Ada' },
      }),
    ).toEqual({
      error: {
        type: 'QueryFailedError',
        code: 'ER_DUP_ENTRY',
        stack: '    at run (/app/dist/main.js:1:2)\n    at next (node:internal:3:4)',
        cause: { type: 'Error' },
      },
    });
  });

  it('is left out if it is no JSON', () => expect(cleanLine('Ada', cleaner)).toBeNull());
});

describe('the metrics in a support bundle', () => {
  it('number the names that administrators chose', () => {
    const text =
      '# HELP x_total y\nx_total{provider="Ada",model="gpt",outcome="failed"} 1\nz{server="a\\"b"} 2\nz{provider="Ada"} 3';
    expect(cleanMetrics(text)).toBe(
      '# HELP x_total y\nx_total{provider="#1",model="gpt",outcome="failed"} 1\nz{server="#2"} 2\nz{provider="#1"} 3',
    );
  });
});
