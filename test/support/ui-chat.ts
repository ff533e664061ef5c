import type { ReplyTrailerDto } from '../../src/modules/chat/reading/formats/reply-trailer.dto';
import { AbstractChat, DefaultChatTransport, type UIMessage } from '../clients/ai-sdk';

export type OurMessage = UIMessage<ReplyTrailerDto>;

/** What `useChat` keeps its messages in, without React around it. */
export class UiChat extends AbstractChat<OurMessage> {
  constructor(chatId: number, url: string, token: string, body: object = {}) {
    const messages: OurMessage[] = [];
    super({
      id: String(chatId),
      transport: new DefaultChatTransport({
        api: `${url}/chat/message?stream_format=ui_message`,
        headers: { authorization: `Bearer ${token}` },
        body,
      }),
      state: {
        status: 'ready',
        error: undefined,
        messages,
        pushMessage(message) {
          this.messages = [...this.messages, message];
        },
        popMessage() {
          this.messages = this.messages.slice(0, -1);
        },
        replaceMessage(index, message) {
          this.messages = this.messages.with(index, message);
        },
        snapshot: (thing) => structuredClone(thing),
      },
    });
  }
}
