// The reference: the least that Express can do for a streamed reply. `node relay.js <port of the model>`
const http = require('node:http');
const express = require('express');
const { createParser } = require('eventsource-parser');

const modelPort = Number(process.argv[2]);
const agent = new http.Agent({ keepAlive: true });

const app = express();
app.post('/reply', express.json(), (request, response) => {
  const body = JSON.stringify({
    model: 'bench',
    messages: [{ role: 'user', content: request.body.content }],
    stream: true,
    stream_options: { include_usage: true },
  });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const options = { port: modelPort, host: '127.0.0.1', path: '/v1/chat/completions', method: 'POST', headers, agent };
  const upstream = http.request(options, (answer) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    const parser = createParser({
      onEvent: ({ data }) => {
        const text = data === '[DONE]' ? '' : JSON.parse(data).choices[0]?.delta.content;
        if (text) {
          response.write(text);
        }
      },
    });
    answer.setEncoding('utf8');
    answer.on('data', (text) => parser.feed(text));
    answer.on('end', () => response.end());
  });
  upstream.end(body);
});
const server = app.listen(0, '127.0.0.1', 8_192, () => console.log(`http://127.0.0.1:${server.address().port}`));
server.keepAliveTimeout = 600_000;
