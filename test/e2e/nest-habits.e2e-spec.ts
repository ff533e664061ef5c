import { Logger } from '@nestjs/common';
import { createAdmin, createUser } from '../support/accounts';
import { HabitsModule } from '../support/habits-feature';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';

describe('a module that is written as the NestJS manual shows', () => {
  const app = useOwnTestApp({}, [HabitsModule]);

  const get = (path: string, headers: Record<string, string> = {}) => call(`${app.url}/habits/${path}`, { headers });

  const add = (fields: object, lang = 'en') =>
    call(`${app.url}/habits/tickets`, { body: { title: 'Opera', lang, ...fields } });

  /** The field and the reason of the only fault, and the message. */
  function faultOf(answer: Awaited<ReturnType<typeof get>>, status: number): [unknown, unknown, string] {
    const { details, message } = expectFailure(answer, status, 'VALIDATION_ERROR');
    expect(details.errors).toEqual([{ field: details.field, reason: details.reason }]);
    return [details.field, details.reason, message];
  }

  describe('throws HttpExceptions, which', () => {
    it.each([
      ['teapot', 418, 'I_AM_A_TEAPOT', 'Short and stout.'],
      ['gone', 410, 'GONE', 'Gone'],
      ['conflict', 409, 'CONFLICT', 'The name is taken.'],
      ['unprocessable', 422, 'UNPROCESSABLE_ENTITY', 'The room is closed on Sundays.'],
      ['bad', 400, 'BAD_REQUEST', 'Choose a day in the future.'],
      ['missing', 404, 'NOT_FOUND', 'There is no such ticket.'],
      ['unnamed', 451, 'HTTP_451', 'Not for legal reasons.'],
    ])('keep their status and message: %s', async (name, status, code, message) => {
      const failure = expectFailure(await get(`thrown/${name}`), status, code);
      expect(failure).toMatchObject({ message, details: {} });
    });

    it('keep the members of their own body', async () => {
      const locked = expectFailure(await get('thrown/locked'), 423, 'LOCKED');
      expect(locked).toMatchObject({ message: 'Ada is editing it.', details: { editor: { id: 7 } } });
      const bare = expectFailure(await get('thrown/bare'), 409, 'CONFLICT');
      expect(bare.details).toEqual({ hint: 'Try tomorrow.' });
    });

    it("have the service's message in the language of the caller if they have none", async () => {
      const german = { 'accept-language': 'de' };
      expect(expectFailure(await get('thrown/forbidden', german), 403, 'FORBIDDEN').message).toMatch(
        /nicht berechtigt/,
      );
    });

    it('name the fields that a validator names', async () => {
      const { details, message } = expectFailure(await get('thrown/validated'), 400, 'VALIDATION_ERROR');
      expect(message).toBe('seats.0.row must be a letter');
      expect(details.errors).toEqual([
        { field: 'seats.0.row', reason: 'invalid_format' },
        { field: 'note', reason: 'invalid_format' },
      ]);
    });

    it('always tell clients how long to wait after 429 and 503', async () => {
      const busy = await get('thrown/busy');
      expect(expectFailure(busy, 429, 'RATE_LIMIT_EXCEEDED')).toMatchObject({ message: 'Slow down.', retry_after: 5 });
      expect(busy.headers.get('retry-after')).toBe('5');
      const offline = expectFailure(await get('thrown/offline'), 503, 'SERVICE_UNAVAILABLE');
      expect(offline).toMatchObject({ message: 'The printer is off.', retry_after: 5 });
    });

    it('are logged with 5xx, and a 500 shows nothing of its message', async () => {
      const logged = jest.spyOn(Logger.prototype, 'error');
      const upstream = expectFailure(await get('thrown/upstream'), 502, 'BAD_GATEWAY');
      expect(upstream.message).toBe('The ticket system does not answer.');
      expect(expectFailure(await get('thrown/broken'), 500, 'INTERNAL_ERROR').message).not.toMatch(/secret/);
      const causes = logged.mock.calls.map(([entry]) => (entry as { error: Error }).error.message);
      expect(causes).toEqual(['The ticket system does not answer.', 'The secret table is gone.']);
      logged.mockClear();
      await get('thrown/teapot');
      expect(logged).not.toHaveBeenCalled();
    });
  });

  describe("uses Nest's pipes, which", () => {
    it('read parameters, with defaults', async () => {
      const numbers = await get('numbers/7?ratio=1.5&open=true&ids=1,2');
      expect(numbers.body).toEqual({ id: 7, page: 1, ratio: 1.5, open: true, ids: [1, 2] });
      expect((await get('numbers/7?page=3')).body).toMatchObject({ page: 3 });
      expect((await get('texts?priority=high&day=today')).body).toEqual({ priority: 'high', day: 'today' });
    });

    it.each([
      ['numbers/x', 'id', 'invalid_format'],
      ['numbers/7?page=two', 'page', 'invalid_format'],
      ['numbers/7?page=', 'page', 'required'],
      ['numbers/7?page=1&page=2', 'page', 'invalid_format'],
      ['numbers/7?ratio=half', 'ratio', 'invalid_format'],
      ['numbers/7?open=perhaps', 'open', 'invalid_format'],
      ['numbers/7?ids=1,b', 'ids', 'invalid_format'],
      ['texts?event=7', 'event', 'invalid_format'],
      ['texts?priority=urgent', 'priority', 'not_allowed'],
      ['texts?since=soon', 'since', 'invalid_date'],
    ])('name the parameter of %s', async (path, field, reason) => {
      const [named, rule, message] = faultOf(await get(path), 400);
      expect([named, rule]).toEqual([field, reason]);
      expect(message).toContain(`“${field}”`);
    });

    it('name a member of the body', async () => {
      const parts = (body: object) => call(`${app.url}/habits/parts`, { body });
      const near = { city: 'Oslo' };
      expect(faultOf(await parts({ count: 'many', address: near }), 422).slice(0, 2)).toEqual([
        'count',
        'invalid_format',
      ]);
      const address = { city: 'Reykjavik' };
      expect(faultOf(await parts({ count: 2, address }), 422).slice(0, 2)).toEqual(['address.city', 'too_long']);
      expect((await parts({ count: '2', address: near })).body).toEqual({ count: 2, address: near });
    });

    it('show messages of their own', async () => {
      expect(faultOf(await get('texts?day=yesterday'), 400)).toEqual([
        'day',
        'invalid_format',
        'Tickets for past days are not sold.',
      ]);
      expect(faultOf(await get('texts?limit=x'), 400)).toEqual(['limit', 'invalid_format', 'No limit.']);
    });

    it('keep a status of their own', async () => {
      expectFailure(await get('owner/7'), 404, 'NOT_FOUND');
    });
  });

  describe("uses class-validator's rules, which", () => {
    it.each<[object, string, string, RegExp]>([
      [{ count: 'x' }, 'count', 'wrong_type', /wrong type/],
      [{ count: 0 }, 'count', 'too_small', /Minimum: 1\./],
      [{ price: -1 }, 'price', 'not_allowed', /not allowed\.$/],
      [{ code: 'x' }, 'code', 'too_short', /Minimum length: 2\./],
      [{ code: 'xxxxx' }, 'code', 'too_long', /Maximum length: 4\./],
      [{ code: 5 }, 'code', 'wrong_type', /wrong type/],
      [{ email: 'x' }, 'email', 'invalid_email', /email address/],
      [{ event: 'x' }, 'event', 'invalid_format', /invalid format/],
      [{ row: 'c' }, 'row', 'not_allowed', /a, b\.$/],
      [{ priority: 'urgent' }, 'priority', 'not_allowed', /low, high\.$/],
      [{ colour: 'red' }, 'colour', 'invalid_format', /invalid format/],
      [{ day: 'soon' }, 'day', 'invalid_date', /valid date/],
      [{ many: ['a', 'b'] }, 'many', 'too_many_items', /Maximum: 1\./],
      [{ some: [] }, 'some', 'too_few_items', /Minimum: 1\./],
      [{ tags: ['a', 'a'] }, 'tags', 'duplicate', /duplicate/],
      [{ phone: 'x' }, 'phone', 'invalid_format', /invalid format/],
      [{ address: { city: 'Reykjavik' } }, 'address.city', 'too_long', /Maximum length: 5\./],
      [{ stops: [{ city: 'Oslo' }, {}] }, 'stops.1.city', 'required', /required/],
    ])('have a reason and a text: %j', async (fields, field, reason, text) => {
      const [named, rule, message] = faultOf(await add(fields), 422);
      expect([named, rule]).toEqual([field, reason]);
      expect(message).toMatch(text);
    });

    it('answer in the language of the caller', async () => {
      expect(faultOf(await add({ count: 0 }, 'de'), 422)[2]).toMatch(/zu klein/);
    });

    it.each<[object, string, string, string]>([
      [{ year: 'x' }, 'year', 'wrong_type', 'Write the year with four digits.'],
      [{ title: undefined }, 'title', 'required', 'Give the ticket a title.'],
      [{ weekday: 'Sunday' }, 'weekday', 'isWeekday', 'weekday cannot be a Sunday.'],
      [{ seats: 3 }, 'seats', 'isEven', 'Seats are sold in pairs.'],
    ])('show a message of the module: %j', async (fields, field, reason, message) => {
      expect(faultOf(await add(fields), 422)).toEqual([field, reason, message]);
    });
  });

  describe('reads the caller as request.user, which', () => {
    const callers = (path: string, token?: string) => call(`${app.url}/habits/callers/${path}`, { token });

    it('is the documented principal, with a token and with an API key', async () => {
      const { token, user: account } = await createUser(app);
      const body = { name: 'A program', scopes: ['chat:read'] };
      const { key } = (await call<{ key: string }>(`${app.url}/user/api-keys`, { token, body })).body;
      const user = expect.objectContaining({ userId: account.id, userType: 'normal' }) as object;
      for (const credential of [token, key]) {
        expect((await callers('me', credential)).body).toEqual({ user, isPrincipal: true });
      }
      expectFailure(await callers('me'), 401, 'UNAUTHORIZED');
    });

    it('guards can use', async () => {
      expect((await callers('admin', (await createAdmin(app)).token)).body).toEqual({ ok: true });
      expectFailure(await callers('admin', (await createUser(app)).token), 403, 'FORBIDDEN');
    });
  });

  it('imports modules that are made later, such as ConfigModule.forRoot()', async () => {
    expect((await get('settings')).body).toEqual({ printer: 'lobby' });
  });
});
