#!/usr/bin/env node
// A command line for the service: `npx -y <the packed client> --help`.
import { env, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { ConnectionError, createChatClient, isApiError } from '../dist/esm/index.js';

const USAGE = `Usage: chat-service-client [options] [message]

Sends a message and prints the reply as it is written. Without a message, each line of the input is one.

  --url <address>   the service; default: CHAT_SERVICE_URL, or http://127.0.0.1:3000
  --key <key>       an API key with the scope chat:write; default: CHAT_SERVICE_KEY
                    With chat:read too, a reply continues after a lost connection.
  --agent <id>      the agent of a new conversation; default: the default agent of the service
  --chat <id>       continues this conversation instead of starting one
  --help            shows this text
`;

const NEW_KEY = 'Create a key with the scope chat:write in the console (Account, API keys)';

/** A fault of the command line, which the user can correct. */
class UsageError extends Error {}

async function main() {
  const { values, positionals } = readArguments();
  if (values.help) {
    stdout.write(USAGE);
    return;
  }
  if (!values.key)
    throw new UsageError(`An API key is missing. ${NEW_KEY}, and pass it with --key or CHAT_SERVICE_KEY.`);
  if (!URL.canParse(values.url))
    throw new UsageError(`--url needs an address such as http://127.0.0.1:3000, not "${values.url}".`);
  const agent = idOf('agent', values.agent);
  const chat = idOf('chat', values.chat);
  if (agent && chat) throw new UsageError('--agent has no effect on an existing conversation. Omit --agent or --chat.');
  const client = createChatClient({ baseUrl: values.url, accessToken: values.key });
  let chatId = chat;
  const say = async (content) => {
    // The first message creates the conversation, so that none stays empty.
    chatId ??= (await client.chat.create({ body: agent ? { agent_id: agent } : {} })).id;
    await printReply(client, chatId, content);
  };
  if (positionals.length > 0) return say(positionals.join(' '));
  const count = await sayLines(say);
  if (count === 0 && !stdin.isTTY) throw new UsageError('There is no message. Pass one as an argument or as input.');
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        url: { type: 'string', default: env.CHAT_SERVICE_URL ?? 'http://127.0.0.1:3000' },
        key: { type: 'string', default: env.CHAT_SERVICE_KEY },
        agent: { type: 'string' },
        chat: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error.message}\n\n${USAGE}`);
  }
}

/** An id from an option. Another text would silently select the default. */
function idOf(option, text) {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new UsageError(`--${option} needs an id, which is a number, not "${text}".`);
  return Number(text);
}

/** @returns the number of messages */
async function sayLines(say) {
  const lines = createInterface({ input: stdin, output: stdin.isTTY ? stdout : undefined, prompt: '> ' });
  // The input may end before a reply does. After that, a prompt would throw.
  let isOpen = true;
  lines.once('close', () => (isOpen = false));
  const ask = () => isOpen && stdin.isTTY && lines.prompt();
  let count = 0;
  ask();
  for await (const line of lines) {
    if (line.trim() !== '') {
      await say(line);
      count++;
    }
    ask();
  }
  return count;
}

async function printReply(client, chatId, content) {
  for await (const event of client.send({ chat_id: chatId, content })) {
    if (event.type === 'delta') stdout.write(event.text);
    else if (event.error) throw new Error(event.error.message);
  }
  stdout.write('\n');
}

/** The service advises to sign in after a text that is no key. Here, only another key helps. */
function textOf(error) {
  if (isApiError(error, 'TOKEN_INVALID', 'TOKEN_EXPIRED', 'SESSION_REVOKED', 'UNAUTHORIZED', 'API_KEY_INVALID')) {
    return `${error.code}: The API key is not valid. It is mistyped, expired or revoked. ${NEW_KEY}.`;
  }
  if (isApiError(error)) return `${error.code}: ${error.message}`;
  return error instanceof ConnectionError ? `${error.message} Check --url.` : error.message;
}

main().catch((error) => {
  process.stderr.write(`${textOf(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
