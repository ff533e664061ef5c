/** The content of an exported conversation, own or shared. */
export interface Conversation {
  title: string;
  agent: string | null;
  created_at: string;
  /** The messages of the current branch, in order. */
  messages: WrittenMessage[];
  /** Whether earlier messages are missing. */
  isPartial: boolean;
}

export interface WrittenMessage {
  role: 'user' | 'assistant' | 'system';
  content: string;
  created_at: string;
  model?: string | null;
  parts: Part[] | null;
}

type Part = { type: string } & (
  | { hash: string; name: string | null; media_type: string; bytes: number }
  | { hash?: undefined; name?: unknown }
);

interface Words {
  /** Headings for the roles. */
  user: string;
  assistant: string;
  system: string;
  partial: string;
}

/** The conversation as Markdown. Message text is copied unchanged. */
export function toMarkdown({ title, agent, messages, isPartial }: Conversation, words: Words): string {
  const nameOf = (role: WrittenMessage['role']): string =>
    role === 'assistant' ? (agent ?? words.assistant) : words[role];
  const blocks = messages.map((message) => {
    const files = filesOf(message).map(({ name, media_type }) => `- ${inLine(name ?? media_type)}`);
    const parts = [`## ${inLine(nameOf(message.role))}`, message.content.trim(), files.join('\n')];
    return parts.filter((part) => part !== '').join('\n\n');
  });
  const head = [`# ${inLine(title)}`, ...(isPartial ? [`_${words.partial}_`] : [])];
  return `${[...head, ...blocks].join('\n\n')}\n`;
}

/** The conversation as JSON. */
export function toJson({ title, agent, created_at, messages, isPartial }: Conversation): string {
  const written = messages.map((message) => ({
    role: message.role,
    content: message.content,
    created_at: message.created_at,
    ...(message.model !== undefined && { model: message.model }),
    files: filesOf(message),
  }));
  return `${JSON.stringify({ title, agent, created_at, is_partial: isPartial, messages: written }, null, 2)}\n`;
}

function filesOf({ parts }: WrittenMessage): { name: string | null; media_type: string; bytes: number }[] {
  return (parts ?? []).flatMap((part) => {
    if (part.hash === undefined) return [];
    const { name, media_type, bytes } = part;
    return [{ name, media_type, bytes }];
  });
}

/** A file name that is valid on every operating system. */
export function fileName(title: string, suffix: string): string {
  const plain = title.replace(/[\p{Cc}\p{Cf}\\/:*?"<>|\s]+/gu, ' ').replace(/^[\s.]+|[\s.]+$/g, '');
  return `${[...plain].slice(0, 80).join('') || 'conversation'}.${suffix}`;
}

function inLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
