// @databases mariadb mysql: statements written by hand
import { Clock } from '../../src/common/clock';
import { utcDay } from '../../src/common/utc-day';
import { Database } from '../../src/database/database';
import { type AgentStatsDto } from '../../src/modules/agent/stats/agent-stats.dto';
import { AgentStatsService, type Rating } from '../../src/modules/agent/stats/agent-stats.service';
import { createAdmin } from '../support/accounts';
import { expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';
import { type AgentRequest, agentRequests, createAgent } from './agent-requests';

const DAY = 86_400_000;
const NO_WORK = { chats: 0, messages: 0, tokens: 0, replies: 0, failed_replies: 0 };

describe('the statistics of an agent', () => {
  const app = useTestApp();
  let request: AgentRequest;
  let agentId: number;

  beforeAll(async () => {
    request = agentRequests(app, (await createAdmin(app)).token);
  });

  beforeEach(async () => {
    agentId = (await createAgent(request)).id;
  });

  const now = () => app.app.get(Clock).now();
  const daysFromNow = (days: number) => new Date(now().getTime() + days * DAY);
  const service = () => app.app.get(AgentStatsService);
  const count = (at: Date, work: object) => {
    const row = { agent_id: agentId, day: utcDay(at), first_token_ms: null, ...NO_WORK, ...work };
    const columns = Object.entries(row).map(([name, value]) => `${value} AS ${name}`);
    return app.app.get(Database).write((manager) => service().count(manager, `SELECT ${columns.join(', ')}`));
  };
  const chat = (at = now()) => count(at, { chats: 1 });
  const reply = (firstTokenMs: number | null, at = now()) => {
    const failed_replies = firstTokenMs === null ? 1 : 0;
    return count(at, { first_token_ms: firstTokenMs, messages: 2, tokens: 10, replies: 1, failed_replies });
  };
  const feedback = (previous: Rating, next: Rating, at = now()) =>
    app.app.get(Database).write((manager) => service().recordFeedback(manager, agentId, previous, next, at));
  const stats = async (query = '') => (await request<AgentStatsDto>('GET', `/${agentId}/stats${query}`)).body.data;

  it('start empty', async () => {
    expect(await stats()).toEqual({
      from: null,
      to: null,
      chats: 0,
      messages: 0,
      tokens: 0,
      likes: 0,
      dislikes: 0,
      errors: 0,
      p50_first_token_ms: null,
      p95_first_token_ms: null,
    });
  });

  it('count events, even concurrent ones', async () => {
    await Promise.all([
      ...Array.from({ length: 5 }, () => chat()),
      ...Array.from({ length: 38 }, () => reply(200)),
      ...Array.from({ length: 2 }, () => reply(9_000)),
      ...Array.from({ length: 3 }, () => reply(null)),
      feedback(null, 'like'),
      feedback(null, 'like'),
      feedback('like', 'dislike'),
    ]);
    const { p50_first_token_ms, p95_first_token_ms, ...counts } = await stats();
    expect(counts).toMatchObject({ chats: 5, messages: 86, tokens: 430, likes: 1, dislikes: 1, errors: 3 });
    expect(p50_first_token_ms).toBeGreaterThan(180);
    expect(p50_first_token_ms).toBeLessThan(220);
    expect(p95_first_token_ms).toBe(p50_first_token_ms);
    await reply(9_000);
    expect((await stats()).p95_first_token_ms).toBeGreaterThan(8_000);
  });

  it('cover the requested days, both included', async () => {
    await reply(100, daysFromNow(-3));
    await reply(100, daysFromNow(-2));
    await reply(100, daysFromNow(-1));
    const day = (days: number) => daysFromNow(days).toISOString().slice(0, 10);
    expect(await stats(`?from=${day(-2)}&to=${day(-1)}`)).toMatchObject({ from: day(-2), to: day(-1), messages: 4 });
    expect((await stats(`?from=${day(-2)}`)).messages).toBe(4);
    expect((await stats(`?to=${day(-3)}`)).messages).toBe(2);
    expect((await stats(`?from=${daysFromNow(-1).toISOString()}`)).messages).toBe(2);
    expect((await stats()).messages).toBe(6);
    for (const first of ['1970-01-01', '1970-01-01T00:00:00%2B14:00']) {
      expect((await stats(`?from=${first}`)).messages).toBe(6);
      expect((await stats(`?from=${first}&to=${day(0)}`)).messages).toBe(6);
    }
    expect((await stats('?to=1970-01-01')).messages).toBe(0);
  });

  it('count the whole day of a timestamp', async () => {
    await reply(100);
    const day = now().toISOString().slice(0, 10);
    expect(await stats(`?from=${day}T23:59:59Z&to=${day}`)).toMatchObject({ from: day, to: day, messages: 2 });
    expect((await stats(`?from=${day}T12:00:00Z&to=${day}T10:00:00Z`)).messages).toBe(2);
  });

  it('subtract a withdrawn rating without ever falling below zero', async () => {
    await feedback(null, 'like', daysFromNow(-1));
    await feedback('like', null);
    await feedback('dislike', 'dislike');
    expect(await stats()).toMatchObject({ likes: 0, dislikes: 0 });
    expect((await stats(`?from=${now().toISOString().slice(0, 10)}`)).likes).toBe(0);
  });

  it('are next to the agent for administrators', async () => {
    await chat();
    await reply(100);
    expect((await request('GET', `/${agentId}`)).body.data.stats).toEqual({
      chats: 1,
      messages: 2,
      tokens: 10,
      likes: 0,
      dislikes: 0,
      errors: 0,
    });
  });

  it('refuse an invalid day', async () => {
    expectFailure(await request('GET', `/${agentId}/stats?from=yesterday`), 400, 'VALIDATION_ERROR');
    const backwards = `/${agentId}/stats?from=2026-01-02&to=2026-01-01`;
    expectFailure(await request('GET', backwards), 400, 'VALIDATION_ERROR');
  });
});
