// @databases mariadb mysql: statements written by hand
import { Clock } from '../../src/common/clock';
import { tokenUsage } from '../../src/common/token-usage';
import { Database } from '../../src/database/database';
import type { UsageRowDto, UsageTotalsDto } from '../../src/modules/admin/statistics/usage-statistics.dto';
import { DayClosingService } from '../../src/modules/usage/reports/day-closing.service';
import { UsageService } from '../../src/modules/usage/usage.service';
import { createUser } from '../support/accounts';
import { type PageBody } from '../support/admin-client';
import { csvFile } from '../support/csv';
import { expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';
import { untilNextNoon } from './usage-records';

const DAY = 86_400_000;
/** With at least two complete months. */
const DAYS = 100;

type Field = 'user_id' | 'agent_id' | 'model' | 'api_key_id';
type Filter = Partial<Record<Field, number | string>>;
type Grouping = 'day' | 'user' | 'agent' | 'model' | 'api_key';

/** A chat, a message and its reply: index of the user, agent, model, API key, days ago, tokens. */
const EXCHANGES = [
  [0, 1, 'large', 5, 0, 40],
  [0, 1, 'small', null, 0, 8],
  [0, 2, 'small', 5, 50, 16],
  [0, 2, 'large', 6, 95, 100],
  [1, 1, 'small', null, 1, 16],
  [1, 2, 'large', 7, 1, 3],
  [1, 1, 'large', 7, 60, 500],
  [2, 2, 'large', null, 61, 7],
] as const;

const GROUP_FIELDS: Record<Exclude<Grouping, 'day'>, Field> = {
  user: 'user_id',
  agent: 'agent_id',
  model: 'model',
  api_key: 'api_key_id',
};

/** Each combination of filters, with values that only some exchanges have. */
function waysOf(fields: Field[], user_id: number): Filter[] {
  const values: Required<Filter> = { user_id, agent_id: 2, model: 'large', api_key_id: 5 };
  return fields.reduce<Filter[]>(
    (ways, field) => [...ways, ...ways.map((way) => ({ ...way, [field]: values[field] }))],
    [{}],
  );
}

describe('usage by filters', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);

  let users: number[];

  const now = () => app.app.get(Clock).now().getTime();
  const dayName = (ago: number) => new Date(now() - ago * DAY).toISOString().slice(0, 10);

  beforeAll(async () => {
    app.advanceClock(untilNextNoon(app));
    users = [];
    for (let count = 0; count < 3; count++) users.push((await createUser(app)).user.id);
    const usage = app.app.get(UsageService);
    for (const [index, [user, agentId, model, apiKeyId, daysAgo, tokens]] of EXCHANGES.entries()) {
      const at = new Date(now() - daysAgo * DAY);
      const base = { userId: users[user]!, apiKeyId, tokensPerDay: null, agentId, chatId: 1, at };
      const reply = { model, usage: tokenUsage(tokens - 1, 1), startedAt: at, firstTokenMs: 1, returnMessage: false };
      const status = tokens === 7 ? 'failed' : 'completed';
      await app.app.get(Database).write(async (manager) => {
        await usage.recordChat(manager, base);
        await usage.recordUserMessage(manager, { ...base, tier: 'normal', messageId: 2 * index + 1 });
        await usage.recordReply(manager, { ...base, ...reply, status, messageId: 2 * index + 2 });
      });
    }
  });

  const pathOf = (filter: object) => {
    const period = { from: dayName(DAYS - 1), to: dayName(0) };
    const query = Object.entries({ ...period, ...filter }).map(([name, value]) => `${name}=${value}`);
    return `/admin/stats/usage?${query.join('&')}`;
  };
  const rows = (filter: object) => admin.items<UsageRowDto>(pathOf(filter));

  /** The same from the exchanges themselves: groups by their keys. */
  const counted = (group_by: Grouping, filter: Filter): Map<UsageRowDto['key'], UsageTotalsDto> => {
    const isByKey = group_by === 'api_key' || filter.api_key_id !== undefined;
    const groups = new Map<UsageRowDto['key'], UsageTotalsDto>();
    for (const [user, agent_id, model, api_key_id, daysAgo, tokens] of EXCHANGES) {
      for (const isReply of [false, true]) {
        const facts = { user_id: users[user]!, agent_id, model: isReply ? model : null, api_key_id };
        const isMeant = Object.entries(filter).every(([field, value]) => facts[field as Field] === value);
        if (!isMeant || (isByKey && api_key_id === null)) continue;
        const key = group_by === 'day' ? dayName(daysAgo) : facts[GROUP_FIELDS[group_by]];
        const sums = groups.get(key) ?? NONE;
        groups.set(key, {
          chats: sums.chats + (isReply ? 0 : 1),
          messages: sums.messages + 1,
          user_messages: sums.user_messages + (isReply ? 0 : 1),
          prompt_tokens: sums.prompt_tokens + (isReply ? tokens - 1 : 0),
          completion_tokens: sums.completion_tokens + (isReply ? 1 : 0),
          // They are older than the cost columns.
          cost: isReply ? null : sums.cost,
          unpriced: 0,
          requests: 0,
          tokens: sums.tokens + (isReply ? tokens : 0),
          failed_replies: sums.failed_replies + (isReply && tokens === 7 ? 1 : 0),
        });
      }
    }
    return groups;
  };
  const expected = (group_by: Grouping, filter: Filter): [UsageRowDto['key'], UsageTotalsDto][] => {
    const groups = counted(group_by, filter);
    return group_by === 'day'
      ? Array.from({ length: DAYS }, (_, index) => dayName(DAYS - 1 - index)).map((day) => [
          day,
          groups.get(day) ?? NONE,
        ])
      : [...groups].sort(([one, { tokens }], [other, { tokens: others }]) => others - tokens || compare(one, other));
  };
  const split = ({ key, name: _name, user_id: _owner, currency: _currency, ...sums }: UsageRowDto) => [key, sums];

  // The same numbers from the tables of open days, and from those of closed days and months.
  describe.each(['open', 'closed'])('while past days are %s', (state) => {
    beforeAll(async () => {
      while (state === 'closed' && (await app.app.get(DayClosingService).closeNextDay()));
    });

    it.each(['day', 'user', 'agent', 'model'] as const)(
      "counts users' exchanges with agents and models, by %s",
      async (group_by) => {
        for (const filter of waysOf(['user_id', 'agent_id', 'model'], users[0]!)) {
          expect([filter, (await rows({ group_by, ...filter })).map(split)]).toEqual([
            filter,
            expected(group_by, filter),
          ]);
        }
      },
    );

    it.each(['day', 'user', 'api_key'] as const)('counts exchanges with API keys, by %s', async (group_by) => {
      for (const filter of waysOf(['user_id', 'api_key_id'], users[0]!)) {
        expect([filter, (await rows({ group_by, ...filter })).map(split)]).toEqual([
          filter,
          expected(group_by, filter),
        ]);
      }
    });
  });

  it('sorts by each column in both directions, and by the key if sums are equal', async () => {
    for (const group_by of ['day', 'user', 'model', 'api_key'] as const) {
      const groups = expected(group_by, {});
      for (const field of ['key', ...(Object.keys(NONE) as (keyof UsageTotalsDto)[])] as const) {
        for (const sign of [1, -1]) {
          const sort = sign === 1 ? field : `-${field}`;
          const sorted = [...groups].sort(([one, sums], [other, others]) =>
            field === 'key'
              ? sign * compare(one, other)
              : sign * (Number(sums[field]) - Number(others[field])) || compare(one, other),
          );
          const keys = (await rows({ group_by, sort })).map(({ key }) => key);
          expect([group_by, sort, keys]).toEqual([group_by, sort, sorted.map(([key]) => key)]);
        }
      }
    }
  });

  it('pages with the order and the filters', async () => {
    const filter = { group_by: 'day', sort: '-tokens', user_id: users[0], size: 2 };
    const { data } = (await admin.get<PageBody<UsageRowDto>>(pathOf({ ...filter, page: 2 }))).body;
    expect(data.items.map(({ key, tokens }) => [key, tokens])).toEqual([
      [dayName(50), 16],
      [dayName(99), 0],
    ]);
    expect(data.pagination).toEqual({ page: 2, size: 2, total: DAYS, pages: DAYS / 2 });
  });

  it('is exported as a file with the same filters, in the same order', async () => {
    for (const filter of [
      { group_by: 'user', model: 'large', sort: 'messages' },
      { group_by: 'user', agent_id: 2, sort: '-key' },
      { group_by: 'api_key', user_id: users[0], sort: '-key' },
      { group_by: 'day', agent_id: 1, sort: '-failed_replies' },
      { group_by: 'model', user_id: users[1] },
    ]) {
      const file = await csvFile(`${app.url}${pathOf({ ...filter, format: 'csv' })}`, admin.account.token);
      const listed = (await rows(filter)).map(({ key, tokens }) => [String(key ?? ''), String(tokens)]);
      const [column] = file.header;
      expect([filter, file.rows.map((row) => [row[column!], row.tokens])]).toEqual([filter, listed]);
    }
  });

  it.each([
    ['group_by=api_key&agent_id=1', ['agent_id']],
    ['group_by=day&api_key_id=5&agent_id=1&model=large', ['agent_id', 'model']],
    ['group_by=agent&api_key_id=5', ['group_by']],
    ['group_by=model&api_key_id=5&model=large', ['group_by', 'model']],
  ])('explains for ?%s which counts do not exist', async (query, fields) => {
    const { message, details } = expectFailure(await admin.get(`/admin/stats/usage?${query}`), 400, 'VALIDATION_ERROR');
    expect(details.errors).toEqual(fields.map((field) => ({ field, reason: 'not_counted_by_key' })));
    expect(message).toContain('group by day, user or api_key');
  });

  it('refuses an unknown order', async () => {
    expectFailure(await admin.get('/admin/stats/usage?sort=name'), 400, 'VALIDATION_ERROR');
  });
});

const NONE: UsageTotalsDto = {
  chats: 0,
  messages: 0,
  user_messages: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  tokens: 0,
  failed_replies: 0,
  cost: '0',
  unpriced: 0,
  requests: 0,
};

/** Empty model names are first. */
function compare(one: UsageRowDto['key'], other: UsageRowDto['key']): number {
  const [first, second] = [one ?? '', other ?? ''];
  return first < second ? -1 : first > second ? 1 : 0;
}
