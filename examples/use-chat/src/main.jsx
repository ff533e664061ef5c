import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat.jsx';
import { client } from './client.js';
import { SignIn } from './sign-in.jsx';

/** The newest conversation, or a new one, with what was said in it. */
async function openChat() {
  const [newest] = await client.chat.list({ query: { limit: 1 } });
  const { id } = newest ?? (await client.chat.create({ body: {} }));
  const history = await client.chat.listMessages({
    path: { chat_id: id },
    query: { format: 'ui_message', limit: 200 },
  });
  return { id, history };
}

function Page() {
  const [state, setState] = useState(client.session.state);
  const [chat, setChat] = useState();
  const [failure, setFailure] = useState();

  useEffect(() => client.session.onChange(() => setState(client.session.state)), []);
  useEffect(() => {
    if (state === 'unknown') client.session.restore().catch(setFailure);
    if (state === 'signed-in') openChat().then(setChat, setFailure);
    if (state === 'signed-out') setChat(undefined);
  }, [state]);

  if (failure) return <p role="alert">{failure.message}</p>;
  if (state === 'signed-out') return <SignIn />;
  return chat ? <Chat key={chat.id} {...chat} /> : <p role="status">Loading…</p>;
}

createRoot(document.getElementById('page')).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
