import { useChat } from '@ai-sdk/react';
import { useChatTransport } from 'chat-service-client/use-chat';
import { client } from './client.js';

const transport = useChatTransport(client);

export function Chat({ id, history }) {
  const { messages, status, error, sendMessage, regenerate, stop } = useChat({
    id: String(id),
    messages: history,
    resume: true, // goes on reading a reply that is still written when the page is back
    transport,
  });
  const isBusy = status === 'submitted' || status === 'streaming';

  const send = (event) => {
    event.preventDefault();
    sendMessage({ text: new FormData(event.target).get('text') });
    event.target.reset();
  };
  const edit = ({ id: messageId, parts }) => {
    const text = prompt('Your message', parts.find(({ type }) => type === 'text')?.text);
    if (text) sendMessage({ text, messageId });
  };
  // Closing the connection alone would let the service write on.
  const end = async () => {
    await client.chat.stop({ path: { chat_id: id } });
    await stop();
  };

  return (
    <>
      {messages.map((message) => (
        <article key={message.id} className={message.role}>
          <p>{message.parts.map((part) => (part.type === 'text' ? part.text : ''))}</p>
          {message.role === 'user' ? (
            <button onClick={() => edit(message)}>Edit</button>
          ) : (
            <button onClick={() => regenerate({ messageId: message.id })}>Again</button>
          )}
        </article>
      ))}
      {error && (
        <p role="alert">
          {error.message} <button onClick={() => regenerate()}>Try again</button>
        </p>
      )}
      <form onSubmit={send}>
        <input name="text" aria-label="Message" required />
        {isBusy ? (
          <button type="button" onClick={end}>
            Stop
          </button>
        ) : (
          <button>Send</button>
        )}
      </form>
    </>
  );
}
