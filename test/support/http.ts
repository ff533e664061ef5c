import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { request } from 'undici';
import type { Answer } from '../../src/testing/http-answer';

export type { Answer };

/** The body of every error. */
export interface ErrorAnswer {
  success: false;
  error: { code: string; message: string; details: Record<string, unknown>; retry_after?: number };
  timestamp: string;
}

export interface CallOptions {
  method?: string;
  token?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, with whatever content type the headers name. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** One request over real HTTP. */
export async function call<Body = unknown>(url: string, options: CallOptions = {}): Promise<Answer<Body>> {
  const { token, body, raw, headers = {} } = options;
  // A run sends a hundred thousand of these, and `fetch` takes three times as long.
  const response = await request(url, {
    method: options.method ?? (body === undefined && raw === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
  });
  const text = await response.body.text();
  const answered = toHeaders(response.headers);
  const isJson = text !== '' && (answered.get('content-type')?.includes('json') ?? false);
  return { status: response.statusCode, headers: answered, text, body: (isJson ? JSON.parse(text) : text) as Body };
}

function toHeaders(received: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(received)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}

/**
 * Sends bytes that no HTTP client would send, and returns the answer until the server closes.
 *
 * @param isFirstEnough whether the first piece is enough, for connections that stay open
 */
export function sendRaw(origin: string, bytes: string, isFirstEnough = false): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (data: string) => {
      received += data;
      if (isFirstEnough) {
        socket.destroy();
      }
    });
    socket.on('close', () => resolve(received)).on('error', reject);
  });
}

/** The only answer to bytes that no HTTP client would send, if it is JSON. */
export async function callRaw(origin: string, bytes: string, isFirstEnough = false): Promise<Answer> {
  const [head = '', text = ''] = (await sendRaw(origin, bytes, isFirstEnough)).split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]));
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: JSON.parse(text) };
}

/** The required form of every error: status, code and shape, without internal details. */
export function expectFailure(answer: Answer, status: number, code: string): ErrorAnswer['error'] {
  const { body } = answer;
  expect({ status: answer.status, code: isFailure(body) ? body.error.code : answer.text }).toEqual({ status, code });
  expect(body).toEqual({
    success: false,
    error: expect.objectContaining({ message: expect.any(String), details: expect.any(Object) }),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  expect(answer.text).not.toMatch(/ at .*\.(js|ts):\d+|SQLITE_|\bER_[A-Z]+|SELECT |node_modules/);
  return (body as ErrorAnswer).error;
}

function isFailure(body: unknown): body is ErrorAnswer {
  return typeof body === 'object' && body !== null && 'error' in body;
}
