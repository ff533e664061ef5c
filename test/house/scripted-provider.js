const { once } = require('node:events');
const { createServer } = require('node:http');
const { openAi } = require('../../src/testing/scripted-model/formats.js');

const CALL = { id: 'call', name: 'calculate', arguments: JSON.stringify({ expression: '1 + 1' }) };

/**
 * A provider on a free port of this machine. To a user's last message that names the tool `calculate` it answers with a call
 * of it, and to everything else with a text.
 *
 * @returns {Promise<{ url: string, stop(): void }>} `url` is what LLM_BASE_URL takes
 */
async function startProvider() {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const asked = JSON.parse(body || '{}');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answerTo(asked));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1`, stop };
}

function answerTo({ messages = [], ...body }) {
  const format = openAi(body);
  const last = messages.at(-1);
  const wantsCall = last?.role === 'user' && JSON.stringify(last.content).includes(CALL.name);
  const said = wantsCall ? [format.toolCall(CALL)].flat() : [format.text('Two and '), format.text('two.')];
  return [
    format.start(),
    ...said,
    format.finish(wantsCall ? 'tool_calls' : 'stop'),
    format.usage(),
    format.done(),
  ].join('');
}

module.exports = { startProvider };
