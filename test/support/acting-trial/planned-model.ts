import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Treatment } from './effect-server';

/** A call for the model to make. */
export interface PlannedCall {
  tool: string;
  what: string;
  how: Treatment;
}

/** The calls of each round; after the last one the model writes `Done.`. */
export type Plan = PlannedCall[][];

interface Told {
  role: string;
  content: unknown;
}

/** Milliseconds between two pieces, so that a process can be killed during an answer. */
const PACE = 15;

const MARK = 'plan:';

/** A message with a plan for the model. */
export const planned = (plan: Plan): string => `${MARK}${JSON.stringify(plan)}`;

/**
 * A model that follows the plan in the last message. It finds the current round from the tool results, so repeated
 * requests do not matter.
 */
export class PlannedModel {
  /** Requests that contain the results of an incomplete round. */
  readonly strange: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PlannedModel> {
    const server = createServer();
    const model = new PlannedModel(server);
    server.on('request', (request, response) => void model.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return model;
  }

  /** Settings that make the service call it. */
  get environment(): Record<string, string> {
    const url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
    return { LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: url, LLM_MODEL: 'planned' };
  }

  /** Resolves when the next request arrives, or after this number of milliseconds. */
  async nextRequest(milliseconds: number): Promise<void> {
    await once(this.server, 'request', { signal: AbortSignal.timeout(milliseconds) }).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of request) {
      text += String(part);
    }
    const { messages = [] } = JSON.parse(text || '{}') as { messages?: Told[] };
    const asked = messages.findLastIndex(({ role }) => role === 'user');
    const said = String(messages[asked]?.content);
    const plan = planIn(said);
    let results = messages.slice(asked).filter(({ role }) => role === 'tool').length;
    const calls = plan.find((round) => (results -= round.length) < 0);
    if (calls !== undefined && results + calls.length !== 0) {
      this.strange.push(said);
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const delta of deltasOf(calls)) {
      write(response, delta, null);
      await delay(PACE);
    }
    write(response, {}, calls === undefined ? 'stop' : 'tool_calls');
    response.end('data: [DONE]\n\n');
  }
}

/** A message that was cut is before its repetition, in the same turn. A request without a plan is for a title. */
function planIn(said: string): Plan {
  const [line = ''] = said.split('\n');
  return line.startsWith(MARK) ? (JSON.parse(line.slice(MARK.length)) as Plan) : [];
}

function deltasOf(calls: readonly PlannedCall[] | undefined): object[] {
  if (calls === undefined) {
    return [{ content: 'Do' }, { content: 'ne.' }];
  }
  // A provider that uses one id for all calls.
  const started = calls.map(({ tool, what, how }, index) => ({
    tool_calls: [
      { index, id: 'same', type: 'function', function: { name: tool, arguments: JSON.stringify({ what, how }) } },
    ],
  }));
  return [{ content: 'Let me see. ' }, ...started];
}

function write(response: ServerResponse, delta: object, finish_reason: string | null): void {
  const chunk = { id: 'c', object: 'chat.completion.chunk', model: 'planned' };
  response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
}
