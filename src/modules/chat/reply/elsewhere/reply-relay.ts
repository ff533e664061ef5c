import { Injectable, OnModuleInit } from '@nestjs/common';
import { ReplyRegistry, type RunningReply } from '../running-reply';
import { InstanceChannels } from './instance-channels';

/** Serves other instances: tells them the text of replies that are written here once they ask, and stops such replies. */
@Injectable()
export class ReplyRelay implements OnModuleInit {
  constructor(
    private readonly channels: InstanceChannels,
    private readonly registry: ReplyRegistry,
  ) {}

  onModuleInit(): void {
    this.channels.onAskedToStop((messageId) => this.registry.get(messageId)?.abort('stopped'));
    this.channels.onAskedForNews((messageId, offset, reasoningOffset = 0) => {
      const reply = this.registry.get(messageId);
      if (reply) {
        this.tell(reply, reply.text.slice(offset), reply.reasoning.slice(reasoningOffset));
        this.relay(reply);
      }
    });
  }

  private relay(reply: RunningReply): void {
    if (reply.isRelayed) {
      return;
    }
    reply.isRelayed = true;
    reply.attach({
      onText: (text) => this.tell(reply, text, ''),
      onReasoning: (reasoning) => this.tell(reply, '', reasoning),
      onLife: () => this.tell(reply, '', ''),
      onEnd: () => this.tell(reply, '', '', true),
    });
  }

  /** Tells what was added last to text or reasoning. */
  private tell(reply: RunningReply, text: string, reasoning: string, hasEnded = false): void {
    this.channels.tell(reply.messageId, {
      offset: reply.text.length - text.length,
      text,
      ...(reasoning !== '' && { reasoningOffset: reply.reasoning.length - reasoning.length, reasoning }),
      isAlive: reply.isAlive,
      hasEnded,
    });
  }
}
