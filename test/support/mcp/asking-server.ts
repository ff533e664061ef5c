import type { ServerResponse } from 'node:http';
import { type ScriptedMcpServer, type ScriptedRequest, startScriptedMcpServer, stream } from './scripted-mcp-server';

/** A JSON-RPC message in the stream of a call. */
type Send = ReturnType<typeof stream>;

export interface AskingServer extends ScriptedMcpServer {
  /** The questions during each call (`elicitation/create`). */
  question: object;
  /** The received answers. */
  answers: { action: string; content?: Record<string, unknown> }[];
  /** Sends the progress of the running call. */
  tell(progress: { progress: number; total?: number; message?: string }): void;
}

/** A server (2025-11-25) with the tool `order`, which asks its user a question before it acts. */
export async function startAskingServer(): Promise<AskingServer> {
  const scripted = await startScriptedMcpServer();
  let call: { request: ScriptedRequest; response: ServerResponse; send: Send } | undefined;
  const server: AskingServer = Object.assign(scripted, {
    question: {},
    answers: [],
    tell: (progress: object) => {
      const progressToken = call?.request.params?._meta?.['progressToken'];
      call?.send({ method: 'notifications/progress', params: { progressToken, ...progress } });
    },
  });
  server.tools = [{ name: 'order', description: 'Orders.', annotations: { readOnlyHint: true } }];
  server.intercept = (request, response) => {
    if (request.method === 'tools/call') {
      const send = stream(response);
      call = { request, response, send };
      send({ id: 'question', method: 'elicitation/create', params: server.question });
      return true;
    }
    if (request.method !== undefined) return false;
    const answer = request.result as AskingServer['answers'][number];
    server.answers.push(answer);
    response.writeHead(202).end();
    call?.send({ id: call.request.id, result: { content: [{ type: 'text', text: `It said ${answer.action}.` }] } });
    call?.response.end();
    return true;
  };
  return server;
}
