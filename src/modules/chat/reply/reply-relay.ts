import { Injectable, OnModuleInit } from '@nestjs/common';
import { ReplyChannels } from './reply-channels';
import { ReplyRegistry } from './reply-registry';
import type { RunningReply } from './running-reply';

/** Serves other instances: tells them the text of replies that are written here, once one of them asks, and stops them. */
@Injectable()
export class ReplyRelay implements OnModuleInit {
  constructor(
    private readonly channels: ReplyChannels,
    private readonly registry: ReplyRegistry,
  ) {}

  onModuleInit(): void {
    this.channels.onAskedToStop((messageId) => this.registry.get(messageId)?.abort('stopped'));
    this.channels.onAskedForText((messageId, offset) => {
      const reply = this.registry.get(messageId);
      if (reply) {
        this.channels.tell(messageId, { offset, text: reply.text.slice(offset), hasEnded: false });
        this.relay(reply);
      }
    });
  }

  private relay(reply: RunningReply): void {
    if (reply.isRelayed) {
      return;
    }
    reply.isRelayed = true;
    const { messageId } = reply;
    reply.attach({
      onText: (text) =>
        this.channels.tell(messageId, { offset: reply.text.length - text.length, text, hasEnded: false }),
      onEnd: () => this.channels.tell(messageId, { offset: reply.text.length, text: '', hasEnded: true }),
    });
  }
}
