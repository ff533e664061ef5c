import { Injectable, OnModuleInit } from '@nestjs/common';
import type { ReplyListener } from '../reply/reply-listener';
import type { RunningReply } from '../reply/running-reply';
import { ReplyRegistry } from '../running/reply-registry';
import { InstanceChannels, type ReplyNews } from './instance-channels';

/** Serves other instances: tells them the text of replies that are written here once they ask, and stops such replies. */
@Injectable()
export class ReplyRelay implements OnModuleInit {
  constructor(
    private readonly channels: InstanceChannels,
    private readonly registry: ReplyRegistry,
  ) {}

  onModuleInit(): void {
    this.channels.onAskedToStop((messageId) => this.registry.get(messageId)?.abort('stopped'));
    this.channels.onAskedForNews((messageId, offset, reasoningOffset = 0, step = 0) => {
      const reply = this.registry.get(messageId);
      if (reply?.steps) {
        this.tellSteps(reply, step);
        this.relay(reply);
        if (reply.askedNow.length > 0) {
          this.tell(reply, '', '', { asksAnew: true });
        }
      } else if (reply) {
        this.tell(reply, reply.words.slice(offset), reply.thoughts.slice(reasoningOffset));
        this.relay(reply);
      }
    });
  }

  private relay(reply: RunningReply): void {
    if (!reply.isRelayed) {
      reply.isRelayed = true;
      reply.attach(reply.steps === null ? this.words(reply) : this.steps(reply));
    }
  }

  private words(reply: RunningReply): ReplyListener {
    return {
      onText: (text) => this.tell(reply, text, ''),
      onReasoning: (reasoning) => this.tell(reply, '', reasoning),
      onLife: () => this.tell(reply, '', ''),
      onRefusal: () => this.tell(reply, '', ''),
      onEnd: () => this.tell(reply, '', '', { hasEnded: true }),
    };
  }

  private steps(reply: RunningReply): ReplyListener {
    const tellLast = (): void => this.tellSteps(reply, (reply.steps?.length ?? 0) - 1);
    return {
      onText: tellLast,
      onReasoning: tellLast,
      onToolCall: tellLast,
      onCompaction: tellLast,
      onAside: (aside) =>
        this.tell(reply, '', '', aside.kind === 'progress' ? { progress: aside } : { asksAnew: true }),
      onLife: () => this.tell(reply, '', ''),
      onRefusal: () => this.tell(reply, '', ''),
      onEnd: () => this.tell(reply, '', '', { hasEnded: true }),
    };
  }

  /** Tells the steps from this place on. */
  private tellSteps(reply: RunningReply, step: number): void {
    const steps = reply.steps?.slice(step) ?? [];
    this.channels.tell(reply.messageId, {
      offset: 0,
      text: '',
      step,
      steps,
      isAlive: reply.isAlive,
      ...refusalOf(reply),
      hasEnded: false,
    });
  }

  /** Tells what was added last to text or reasoning, and what else there is. */
  private tell(reply: RunningReply, text: string, reasoning: string, besides: Partial<ReplyNews> = {}): void {
    this.channels.tell(reply.messageId, {
      offset: reply.words.length - text.length,
      text,
      ...(reasoning !== '' && { reasoningOffset: reply.thoughts.length - reasoning.length, reasoning }),
      isAlive: reply.isAlive,
      ...refusalOf(reply),
      hasEnded: false,
      ...besides,
    });
  }
}

/** Only while there is one. */
function refusalOf({ isRefused, askedAgainAt }: RunningReply): Partial<ReplyNews> {
  return isRefused ? { isRefused, ...(askedAgainAt !== null && { isAskedAgain: true }) } : {};
}
