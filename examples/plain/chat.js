import { createChatClient, isApiError } from 'chat-service-client';

// `?service=` sets another address. The default is a service on this machine.
const baseUrl = new URLSearchParams(location.search).get('service') ?? 'http://127.0.0.1:3000';
const client = createChatClient({ baseUrl, session: 'storage' });
const [signIn, conversation, messages, composer, stop, signOut, failure] = [
  'sign-in',
  'conversation',
  'messages',
  'composer',
  'stop',
  'sign-out',
  'failure',
].map((id) => document.getElementById(id));

let chatId;

/** Runs an action of the user, and shows a failure on the page. */
async function attempt(action) {
  failure.textContent = '';
  try {
    await action();
  } catch (error) {
    failure.textContent = isApiError(error, 'QUOTA_EXCEEDED')
      ? 'That was all for today. The quota is fresh at midnight, UTC.'
      : error.message;
  }
}

function show({ role, content }) {
  const message = document.createElement('p');
  message.className = role;
  message.textContent = content;
  messages.append(message);
  return message;
}

/** Shows a reply while it is being written. If the connection is lost, the client rejoins the reply. */
async function read(events) {
  const reply = show({ role: 'assistant', content: '' });
  stop.hidden = false;
  try {
    for await (const event of events) {
      if (event.type === 'delta') reply.append(event.text);
      if (event.type === 'message_end' && event.error) failure.textContent = event.error.message;
    }
  } finally {
    stop.hidden = true;
    if (reply.textContent === '') reply.remove();
  }
}

/** Opens the most recent conversation or a new one, and follows a reply in progress. */
async function open() {
  const [newest] = await client.chat.list({ query: { limit: 1 } });
  const chat = newest ?? (await client.chat.create({ body: {} }));
  chatId = chat.id;
  messages.replaceChildren();
  const stored = await client.chat.listMessages({ path: { chat_id: chatId } });
  stored.filter(({ status }) => status !== 'streaming').forEach(show);
  if (chat.active_message_id !== null) await read(client.join(chatId));
}

async function begin() {
  const isSignedIn = client.session.state === 'signed-in';
  signIn.hidden = isSignedIn;
  conversation.hidden = !isSignedIn;
  if (isSignedIn) await open();
}

signIn.addEventListener('submit', (event) => {
  event.preventDefault();
  void attempt(async () => {
    await client.session.logIn(Object.fromEntries(new FormData(signIn)));
    await begin();
  });
});

composer.addEventListener('submit', (event) => {
  event.preventDefault();
  const content = new FormData(composer).get('content');
  composer.reset();
  show({ role: 'user', content });
  void attempt(() => read(client.send({ chat_id: chatId, content })));
});

stop.addEventListener('click', () => void attempt(() => client.chat.stop({ path: { chat_id: chatId } })));

signOut.addEventListener('click', () => {
  void attempt(async () => {
    await client.session.logOut();
    await begin();
  });
});

await attempt(async () => {
  await client.session.restore();
  await begin();
});
