// The model: an OpenAI-compatible server that streams as specified in the last user message, which is JSON. {"chunks":
// 50, "interval": 20} sends a chunk every 20 ms. Without an interval, all chunks are sent at once, in one packet or,
// with "separate", each in its own. "stamped" sets each chunk's text to "<request received>,<chunk written>;" in
// microseconds. GET /messages returns the messages of the last request.
const { createServer } = require('node:http');
const { openAi } = require('../../src/testing/scripted-model/formats.js');
const { microseconds } = require('../support/numbers.js');

const TEXT = ' token';

function play(response, body, receivedAt) {
  const script = JSON.parse(body.messages.at(-1).content);
  const format = openAi(body);
  const plain = format.text(TEXT);
  const [before, after] = format.text('\0').split(JSON.stringify('\0').slice(1, -1));
  const chunk = () => (script.stamped ? `${before}${receivedAt},${microseconds()};${after}` : plain);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(format.start());
  const finish = () => response.end(format.finish('stop') + format.usage() + format.done());
  let left = script.chunks;
  if (script.interval) {
    const timer = setInterval(() => {
      response.write(chunk());
      if (--left === 0 || response.destroyed) {
        clearInterval(timer);
        finish();
      }
    }, script.interval);
  } else if (script.separate) {
    const next = () => {
      response.write(chunk());
      if (--left === 0 || response.destroyed) {
        finish();
      } else {
        setImmediate(next);
      }
    };
    next();
  } else {
    response.end(plain.repeat(left) + format.finish('stop') + format.usage() + format.done());
  }
}

let lastMessages = [];

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(request.url === '/messages' ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(lastMessages));
    return;
  }
  const receivedAt = microseconds();
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(parts).toString());
    lastMessages = body.messages;
    play(response, body, receivedAt);
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', 8_192, () => console.log(`http://127.0.0.1:${server.address().port}`));
