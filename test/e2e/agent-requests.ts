import { randomUUID } from 'node:crypto';
import { type AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { type Answer, call } from '../support/http';
import type { TestApp } from '../support/test-app';

export interface Envelope<Data> {
  success: true;
  data: Data;
  message: string;
  timestamp: string;
}

export type AgentRequest = <Data = AgentAdminDto>(
  method: string,
  path: string,
  body?: unknown,
  token?: string,
) => Promise<Answer<Envelope<Data>>>;

/** Calls of `/agents<path>` as `token`'s owner by default. */
export function agentRequests(app: TestApp, token: string): AgentRequest {
  return (method, path, body, otherToken = token) =>
    call(`${app.url}/agents${path}`, { method, body, token: otherToken });
}

/** Creates an agent with a unique name. */
export async function createAgent(request: AgentRequest, fields: object = {}): Promise<AgentAdminDto> {
  const answer = await request('POST', '', { name: `Agent ${randomUUID()}`, ...fields });
  if (answer.status !== 201) {
    throw new Error(`POST /agents answered ${answer.status}: ${answer.text}`);
  }
  return answer.body.data;
}
