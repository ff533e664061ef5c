import type { ReplyTrailerDto } from '../../src/modules/chat/reading/formats/reply-trailer.dto';
import { AbstractChat, DefaultChatTransport, type UIMessage } from '../clients/ai-sdk';
import type { AiSdk } from './ai-sdks';

export type OurMessage = UIMessage<ReplyTrailerDto>;

/** The user of a page, and its conversation. */
interface Page {
  chatId: number;
  url: string;
  token: string;
  /** The initial messages. */
  messages: OurMessage[];
  body: object;
}

function optionsOf(Transport: AiSdk['DefaultChatTransport'], { chatId, url, token, messages, body }: Page) {
  return {
    id: String(chatId),
    transport: new Transport<OurMessage>({
      api: `${url}/chat/message?stream_format=ui_message`,
      headers: { authorization: `Bearer ${token}` },
      body,
    }),
    state: {
      status: 'ready' as const,
      error: undefined,
      messages,
      pushMessage(message: OurMessage) {
        this.messages = [...this.messages, message];
      },
      popMessage() {
        this.messages = this.messages.slice(0, -1);
      },
      replaceMessage(index: number, message: OurMessage) {
        this.messages = this.messages.with(index, message);
      },
      snapshot: <Thing>(thing: Thing): Thing => structuredClone(thing),
    },
  };
}

/** The message store of `useChat`, without React. */
export class UiChat extends AbstractChat<OurMessage> {
  constructor(chatId: number, url: string, token: string, body: object = {}) {
    super(optionsOf(DefaultChatTransport, { chatId, url, token, messages: [], body }));
  }
}

/**
 * The same for any version of the AI SDK. It continues automatically when the user has answered all questions in a
 * reply.
 */
export function chatOf(sdk: AiSdk, page: Page): UiChat {
  class Chat extends sdk.AbstractChat<OurMessage> {}
  return new Chat({
    ...optionsOf(sdk.DefaultChatTransport, page),
    sendAutomaticallyWhen: sdk.lastAssistantMessageIsCompleteWithApprovalResponses,
  });
}
