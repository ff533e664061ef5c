const http = require('node:http');
const { microseconds } = require('./numbers.js');

/** One connection for each request in flight, reused for later requests. */
function keptConnections() {
  return new http.Agent({ keepAlive: true, maxSockets: Infinity, scheduling: 'lifo' });
}

/**
 * Sends a request and reads its response as it arrives.
 *
 * @param {http.Agent} agent
 * @param {{ port: number, method?: string, path: string, headers?: object, body?: object }} request
 * @param {(text: string, at: number) => void} onText called with each chunk and its arrival time in microseconds
 * @returns {Promise<{ status: number, sentAt: number, headers: object }>} resolves at the end of the response
 */
function exchange(agent, { port, method = 'GET', path, headers = {}, body }, onText) {
  return new Promise((resolve, reject) => {
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const contentHeaders = content && { 'content-type': 'application/json', 'content-length': content.length };
    const request = http.request({
      agent,
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...headers, ...contentHeaders },
    });
    const sentAt = microseconds();
    request.on('error', reject);
    request.on('response', (response) => {
      response.setEncoding('utf8');
      response.on('data', (text) => onText(text, microseconds()));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, sentAt }));
    });
    request.end(content);
  });
}

/**
 * Sends a request and reads its JSON response.
 *
 * @throws Error unless the status is 2xx
 */
async function call(agent, request) {
  let text = '';
  const { status } = await exchange(agent, request, (piece) => (text += piece));
  if (status < 200 || status > 299) {
    throw new Error(`${request.method ?? 'GET'} ${request.path} answered ${status}: ${text.slice(0, 500)}`);
  }
  return JSON.parse(text);
}

module.exports = { call, exchange, keptConnections };
