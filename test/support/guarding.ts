import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database } from '../../src/database/database';
import { type GuardFields, GuardStore, newGuardSecret } from '../../src/modules/guard/guards/guard.store';
import type { TestApp } from './test-app';

/** A call of the port, as the guard received it. */
export interface GuardCall {
  version: number;
  stage: string;
  mode: string;
  part: string;
  text: string;
  offset: number;
  final: boolean;
  chat_id: number | null;
  message_id: number | null;
}

/** The guard's answer. A number is a status. */
export type GuardRule = (call: GuardCall) => object | number | Promise<object | number>;

/** A guard over HTTP whose rule tests change. */
export interface ScriptedGuard {
  url: string;
  calls: GuardCall[];
  rule: GuardRule;
  close(): Promise<void>;
}

/** Finds all matches of a pattern, in code points. */
export function finding(pattern: RegExp, type: string): GuardRule {
  return ({ text }) => {
    const characters = (index: number): number => [...text.slice(0, index)].length;
    const spans = [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
      start: characters(index),
      end: characters(index + found.length),
      type,
    }));
    return { action: spans.length > 0 ? 'mask' : 'allow', spans };
  };
}

export const ADDRESS = /[a-z0-9.]{1,20}@[a-z]{1,10}\.[a-z]{2,4}/g;

export async function startScriptedGuard(rule: GuardRule = finding(ADDRESS, 'EMAIL')): Promise<ScriptedGuard> {
  const guard: ScriptedGuard = { url: '', calls: [], rule, close: () => Promise.resolve() };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = JSON.parse(Buffer.concat(chunks).toString()) as GuardCall;
      guard.calls.push(call);
      void Promise.resolve(guard.rule(call)).then((answer) => {
        const status = typeof answer === 'number' ? answer : 200;
        response.writeHead(status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(typeof answer === 'number' ? {} : answer));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  guard.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/check`;
  guard.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return guard;
}

/** Adds a guard, and lets this instance know. @returns removes it */
export async function addGuard(
  { app }: Pick<TestApp, 'app'>,
  fields: Partial<GuardFields> & Pick<GuardFields, 'name'>,
): Promise<() => Promise<void>> {
  const store = app.get(GuardStore);
  const added: GuardFields = {
    kind: fields.url ? 'http' : 'builtin',
    url: null,
    secret: fields.url ? newGuardSecret() : null,
    headers: {},
    stages: ['input', 'tool_result', 'output'],
    mode: 'mask',
    onError: 'closed',
    timeoutMs: 2_000,
    groupIds: null,
    agentIds: null,
    window: 20,
    restore: 'answer',
    rules: [],
    isActive: true,
    ...fields,
  };
  const { id } = await app.get(Database).write((manager) => store.insert(manager, added, store.all.length));
  await store.announce();
  return async () => {
    await app.get(Database).write((manager) => store.remove(manager, store.get(id)));
    await store.announce();
  };
}
