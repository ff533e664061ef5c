import type { ReplyTraceDto } from 'chat-service-client';
import { partsOf, timesOf } from '../../console/src/components/trace/trace-parts';

const START = Date.parse('2026-07-31T12:00:00.000Z');

type Attempt = ReplyTraceDto['attempts'][number];

const at = (milliseconds: number): string => new Date(START + milliseconds).toISOString();

const attempt = (began: number, took: number, facts: Partial<Attempt> = {}): Attempt => ({
  kind: 'reply',
  round: 1,
  provider: 'own',
  model: 'large',
  outcome: 'answered',
  code: null,
  learned: null,
  started_at: at(began),
  first_token_ms: null,
  duration_ms: took,
  span_id: null,
  ...facts,
});

const call = (began: number, took: number | null): ReplyTraceDto['tools'][number] => ({
  name: 'find',
  server: null,
  round: 1,
  state: 'succeeded',
  started_at: at(began),
  duration_ms: took,
  span_id: null,
});

const trace = (facts: Partial<ReplyTraceDto>): ReplyTraceDto => ({
  message_id: 2,
  chat_id: 1,
  status: 'completed',
  finish_reason: 'stop',
  error_code: null,
  started_at: at(0),
  ended_at: null,
  first_token_ms: null,
  duration_ms: null,
  rounds: 1,
  attempts: [],
  tools: [],
  guards: [],
  token_usage: null,
  trace_id: null,
  trace_sampled: null,
  ...facts,
});

describe('the time breakdown of a reply', () => {
  it('consists of refusals, the wait for the first token, writing, and pauses', () => {
    const refused = attempt(10, 20, { outcome: 'failed' });
    const answered = attempt(50, 100, { first_token_ms: 40 });
    const parts = partsOf(trace({ duration_ms: 160, attempts: [refused, answered] }));
    expect(parts.map(({ kind, from, to }) => `${kind} ${from}-${to}`)).toEqual([
      'waiting 0-10',
      'refused 10-30',
      'waiting 30-50',
      'first_token 50-90',
      'writing 90-150',
      'waiting 150-160',
    ]);
    expect(timesOf(parts)).toEqual([
      ['waiting', 40],
      ['refused', 20],
      ['first_token', 40],
      ['writing', 60],
    ]);
  });

  it('counts concurrent tool calls once', () => {
    const parts = partsOf(trace({ duration_ms: 30, tools: [call(0, 20), call(5, 25), call(8, null)] }));
    expect(timesOf(parts)).toEqual([['tools', 30]]);
  });

  it('has no negative parts if clocks differ, and is empty for a reply without a stored trace', () => {
    expect(timesOf(partsOf(trace({ attempts: [attempt(-50, 30, { first_token_ms: 10 })] })))).toEqual([
      ['first_token', 10],
      ['writing', 20],
    ]);
    expect(partsOf(trace({}))).toEqual([]);
  });
});
