import type { GuardPart } from '../../guard/guard.api';
import type { MessageBody } from './message-request';

/** A text of a body, and its replacement. */
export interface BodyText {
  text: string;
  part: GuardPart;
  /** Whether it precedes the last reply in the body, so that it was probably sent before. */
  isEarlier: boolean;
  /** Whether the provider signed it, so that it cannot be changed. */
  isSealed: boolean;
  replace: (text: string) => void;
}

type Block = Record<string, unknown>;

/** Collects the texts of a body that a person or a model wrote. Definitions of tools are not among them. */
class TextCollector {
  readonly texts: BodyText[] = [];

  constructor(private isEarlier = true) {}

  collect({ system, messages }: Pick<MessageBody, 'messages'> & { system?: unknown }, body: Block): void {
    this.content(body, 'system', system, 'instructions');
    const lastReply = messages.findLastIndex((message) => isBlock(message) && message.role === 'assistant');
    for (const [index, message] of messages.entries()) {
      this.isEarlier = index <= lastReply;
      if (isBlock(message)) {
        this.content(message, 'content', message.content, message.role === 'system' ? 'instructions' : 'text');
      }
    }
  }

  private content(owner: Block, name: string, content: unknown, part: GuardPart): void {
    if (typeof content === 'string') {
      this.add(content, part, (text) => (owner[name] = text));
    } else if (Array.isArray(content)) {
      content.filter(isBlock).forEach((block) => this.block(block, part));
    }
  }

  private block(block: Block, part: GuardPart): void {
    switch (block.type) {
      case 'text':
        this.content(block, 'text', block.text, part);
        break;
      case 'thinking':
        this.add(block.thinking, 'reasoning', () => undefined, true);
        break;
      case 'tool_use':
        this.add(JSON.stringify(block.input ?? {}), 'arguments', (text) => (block.input = inputOf(text)));
        break;
      case 'document':
        this.document(block);
        break;
      case 'tool_result':
      case 'search_result':
        this.content(block, 'title', block.title, part);
        this.content(block, 'content', block.content, part);
    }
  }

  private document(block: Block): void {
    this.content(block, 'title', block.title, 'text');
    this.content(block, 'context', block.context, 'text');
    const { source } = block;
    if (isBlock(source)) {
      this.content(
        source,
        source.type === 'text' ? 'data' : 'content',
        source.type === 'text' ? source.data : source.content,
        'file',
      );
    }
  }

  private add(text: unknown, part: GuardPart, replace: (text: string) => void, isSealed = false): void {
    if (typeof text === 'string' && text !== '') {
      this.texts.push({ text, part, isEarlier: this.isEarlier, isSealed, replace });
    }
  }
}

/** The texts of a body, in a fixed order. Replacing one changes the body. */
export function textsOfBody(body: MessageBody): BodyText[] {
  const collector = new TextCollector();
  collector.collect(body, body);
  return collector.texts;
}

/** A mask in place of a number leaves no JSON. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { input: text };
  }
}

function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
