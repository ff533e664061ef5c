#!/usr/bin/env node
// A command line for the service: `npx -y <the packed client> --help`.
import { env, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { ConnectionError, createChatClient, isApiError } from '../dist/esm/index.js';
import { accessToken, isSignedIn, logIn, logOut, onlyAddress, serviceAddress, whoAmI } from './session.mjs';

const USAGE = `Usage: chat-service-client [options] [message]
       chat-service-client login|logout|whoami|token [--url <address>]

Sends a message and prints the reply as it is written. Without a message, each line of the input is one.

  login             signs in with a code that you enter in a browser
  logout            ends the session
  whoami            prints the account, the address and the scopes of the session
  token             prints a valid access token, for programs that run a command for it

  --url <address>   the service; default: CHAT_SERVICE_URL, the only service that you are signed in to,
                    or http://127.0.0.1:3000
  --key <key>       an API key with the scope chat:write; default: CHAT_SERVICE_KEY, or the session of login
                    With chat:read too, a reply continues after a lost connection.
  --scope <a,b>     the scopes of login; default: anthropic,openai,chat:read,chat:write
  --agent <id>      the agent of a new conversation; default: the default agent of the service
  --chat <id>       continues this conversation instead of starting one
  --help            shows this text
`;

const NEW_KEY = 'Create a key with the scope chat:write in the console (Account, API keys)';

const COMMANDS = {
  login: (url, { scope }) => logIn(url, scope),
  logout: logOut,
  whoami: whoAmI,
  token: async (url) => void stdout.write(`${await accessToken(url)}\n`),
};

/** Whether messages are sent with the session of `login`. */
let usesSession = false;

/** A fault of the command line, which the user can correct. */
class UsageError extends Error {}

async function main() {
  const { values, positionals } = readArguments();
  if (values.help) {
    stdout.write(USAGE);
    return;
  }
  const url = values.url ?? (await onlyAddress()) ?? 'http://127.0.0.1:3000';
  if (!URL.canParse(url)) throw new UsageError(`--url needs an address such as http://127.0.0.1:3000, not "${url}".`);
  const [command] = positionals;
  if (positionals.length === 1 && Object.hasOwn(COMMANDS, command))
    return COMMANDS[command](serviceAddress(url), values);
  if (!values.key && !(await isSignedIn(serviceAddress(url)))) {
    throw new UsageError(
      `An API key is missing. ${NEW_KEY}, and pass it with --key or CHAT_SERVICE_KEY. Or sign in with the command login.`,
    );
  }
  usesSession = !values.key;
  const agent = idOf('agent', values.agent);
  const chat = idOf('chat', values.chat);
  if (agent && chat) throw new UsageError('--agent has no effect on an existing conversation. Omit --agent or --chat.');
  const client = createChatClient({
    baseUrl: url,
    accessToken: values.key ?? (() => accessToken(serviceAddress(url))),
  });
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
        url: { type: 'string', default: env.CHAT_SERVICE_URL },
        key: { type: 'string', default: env.CHAT_SERVICE_KEY },
        scope: { type: 'string' },
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
    if (usesSession) return 'The session has ended. Sign in again with the command login.';
    return `${error.code}: The API key is not valid. It is mistyped, expired or revoked. ${NEW_KEY}.`;
  }
  if (isApiError(error)) return `${error.code}: ${error.message}`;
  return error instanceof ConnectionError ? `${error.message} Check --url.` : error.message;
}

main().catch((error) => {
  process.stderr.write(`${textOf(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
