/**
 * A scripted language model over HTTP, in its own thread: OpenAI's `POST <anything>/chat/completions` and
 * Anthropic's `POST <anything>/v1/messages`. Without a script it streams a short deterministic reply with usage.
 *
 * From TypeScript use `startModelServer()` of model-server.ts, which documents scripts. From a shell:
 * `node model-server.thread.js 9999`. It is controlled over the same port:
 *
 *   POST /__script    one script, kept for its `key`, or queued for the next request without a matching key
 *   POST /__default   the script for requests without another match (for load tests); `null` restores the built-in one
 *   POST /__release   {gate}: opens this gate for the streams that wait at it, now and later
 *   POST /__models    {path, status, headers, body}: the answer to GET below this path; default 404
 *   GET  /__requests  ?key=: received requests, oldest first, with headers, body and state (open, completed, aborted)
 *   GET  /__wait      ?event=received|completed|aborted&key=&count=&timeout=: answers once that many requests have this state
 *   POST /__reset     deletes scripts, gates and requests
 */
'use strict';
const http = require('node:http');
const { parentPort } = require('node:worker_threads');
const { Journal } = require('./journal.js');
const { Scripts } = require('./scripts.js');
const { play } = require('./player.js');
const { refusalOf } = require('./refusing.js');
const { keyOf } = require('./texts.js');

const journal = new Journal();
const scripts = new Scripts();
const lists = new Map();

const controls = {
  'POST /__script': (body) => scripts.add(body),
  'POST /__default': (body) => scripts.setDefault(body),
  'POST /__release': (body) => scripts.release(body.gate),
  'POST /__models': (body) => void lists.set(body.path, body),
  'POST /__reset': () => {
    scripts.reset();
    journal.reset();
  },
  'GET /__requests': (_body, query) => journal.find(query.get('key')),
  'GET /__wait': (_body, query) =>
    journal.wait(query.get('event'), {
      key: query.get('key'),
      count: Number(query.get('count') ?? 1),
      timeout: Number(query.get('timeout') ?? 120_000),
    }),
};

async function control(request, response, url, body) {
  const handler = controls[`${request.method} ${url.pathname}`];
  const answer = handler ? await handler(body === '' ? null : JSON.parse(body), url.searchParams) : null;
  response.writeHead(handler ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer ?? null));
}

function complete(request, response, text) {
  const body = JSON.parse(text);
  const key = keyOf(body.messages ?? []);
  const record = journal.add(request, body, key);
  response.on('close', () => journal.close(record, response.writableFinished ? 'completed' : 'aborted'));
  const script = scripts.take(key);
  play(refusalOf(script, body) ?? script, {
    response,
    body,
    isAnthropic: request.url.includes('/v1/messages'),
    gates: scripts,
  });
}

function list({ url }, response) {
  const found = [...lists.values()].find(({ path }) => url.startsWith(path));
  response.writeHead(found?.status ?? (found ? 200 : 404), found?.headers).end(found?.body);
}

const server = http.createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const body = Buffer.concat(parts).toString();
    if (request.url.startsWith('/__')) {
      control(request, response, new URL(request.url, 'http://localhost'), body).catch((error) => {
        response.writeHead(500).end(JSON.stringify({ error: error.message }));
      });
    } else if (/\/(chat\/completions|messages(\/count_tokens)?)(\?|$)/.test(request.url)) {
      complete(request, response, body);
    } else {
      list(request, response);
    }
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', 8192, () => {
  parentPort?.postMessage(server.address().port);
});
