#!/usr/bin/env node
// A terminal chat client for the service: `npx <the packed client> --help`.
import { env, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { createChatClient, isApiError } from '../dist/esm/index.js';

const USAGE = `Usage: chat-service [options] [message]

Sends a message and prints the reply as it is written. Without a message each line of the input is one.

  --url <address>   of the service; default: CHAT_SERVICE_URL, or http://127.0.0.1:3000
  --key <key>       an API key with the scopes chat:read and chat:write; default: CHAT_SERVICE_KEY
  --agent <id>      who answers; default: the agent of the service
  --chat <id>       goes on with this conversation instead of a new one
`;

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: env.CHAT_SERVICE_URL ?? 'http://127.0.0.1:3000' },
      key: { type: 'string', default: env.CHAT_SERVICE_KEY },
      agent: { type: 'string' },
      chat: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    stdout.write(USAGE);
    return;
  }
  if (!values.key) throw new Error('An API key is needed: make one in the console (Account, API keys), and set --key.');
  const client = createChatClient({ baseUrl: values.url, accessToken: values.key });
  const chatId = values.chat ? Number(values.chat) : await newChat(client, values.agent);
  const say = (content) => printReply(client, chatId, content);
  if (positionals.length > 0) return say(positionals.join(' '));
  const lines = createInterface({ input: stdin, output: stdin.isTTY ? stdout : undefined, prompt: '> ' });
  // The input may end before a reply does. After that, a prompt would throw.
  let isOpen = true;
  lines.once('close', () => (isOpen = false));
  const ask = () => isOpen && stdin.isTTY && lines.prompt();
  ask();
  for await (const line of lines) {
    if (line.trim() !== '') await say(line);
    ask();
  }
}

async function newChat(client, agent) {
  const { id } = await client.chat.create({ body: agent ? { agent_id: Number(agent) } : {} });
  return id;
}

async function printReply(client, chatId, content) {
  for await (const event of client.send({ chat_id: chatId, content })) {
    if (event.type === 'delta') stdout.write(event.text);
    else if (event.error) throw new Error(event.error.message);
  }
  stdout.write('\n');
}

main().catch((error) => {
  const text = isApiError(error) ? `${error.code}: ${error.message}` : error.message;
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
});
