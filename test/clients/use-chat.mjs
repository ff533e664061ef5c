// A conversation with `useChat` without React. Prints, as JSON, its messages, its failure, and how often an image was
// sent. Arguments: address of the service, access token, id of a conversation, a question, a second question whose
// reply does not end, and the data URL of an image for the first.
import { AbstractChat } from 'ai';
import { createChatClient } from 'chat-service-client';
import { useChatTransport } from 'chat-service-client/use-chat';

const [baseUrl, accessToken, id, question, endless, picture] = process.argv.slice(2);
// The number of requests with the image.
let pictures = 0;
const counting = (url, request) => {
  pictures += request.body?.includes(picture) ? 1 : 0;
  return fetch(url, request);
};
const transport = useChatTransport(createChatClient({ baseUrl, accessToken, fetch: counting }));

class Chat extends AbstractChat {
  constructor(messages, onText = () => undefined) {
    const state = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => (state.messages = [...state.messages, message]),
      popMessage: () => (state.messages = state.messages.slice(0, -1)),
      replaceMessage(index, message) {
        state.messages = state.messages.with(index, message);
        if (textOf(message)) onText();
      },
      snapshot: (thing) => structuredClone(thing),
    };
    super({ id, transport, state });
  }
}

function textOf({ parts }) {
  return parts.map(({ type, text }) => (type === 'text' ? text : '')).join('');
}

const first = new Chat([]);
await first.sendMessage({
  text: question,
  files: [{ type: 'file', mediaType: 'image/png', filename: 'a.png', url: picture }],
});
await first.regenerate();

let stop;
const halfWay = new Promise((resolve) => (stop = resolve));
const second = new Chat(first.messages, stop);
const sending = second.sendMessage({ text: endless });
await halfWay;

// The page is loaded again while the reply is written, and the user stops it there.
let joined;
const halfWayAgain = new Promise((resolve) => (joined = resolve));
const third = new Chat(second.messages.slice(0, -1), joined);
const resuming = third.resumeStream();
await halfWayAgain;
await second.stop();
await Promise.all([sending, resuming]);

process.stdout.write(
  JSON.stringify({
    messages: third.messages.map((message) => [message.role, textOf(message)]),
    pictures,
    failure: [first, second, third].map(({ error }) => error?.message ?? null),
  }),
);
