import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api, saveFile } from '../../../app/api';
import { formatKilobytes } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { Dialog } from '../../../components/dialog';
import { Icon } from '../../../components/icon';
import { useObjectUrl } from '../attachments/use-object-url';
import { PICTURES } from '../state/attachments/pictures';
import type { Message } from '../state/types';

const t = texts('chat');

type Part = NonNullable<Message['parts']>[number];
type FilePart = Extract<Part, { hash: string }>;

/** The typed text. The `content` of a message also includes tool results. */
export function wordsOf({ content, parts }: Pick<Message, 'content' | 'parts'>): string {
  return parts === null ? content : parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

/** Reads a file. The request depends on whether the chat is the user's own or shared. */
type ReadFile = (hash: string) => Promise<Blob>;

/** Whether a message has parts other than text and the service's own tool calls. */
export function hasOtherParts({ parts }: Pick<Message, 'parts'>): boolean {
  return parts?.some((part) => part.type !== 'text' && !isMadeHere(part)) ?? false;
}

/** Whether the service executes the call, which is then shown within the text. */
function isMadeHere(part: Part): boolean {
  return part.type === 'tool_call'
    ? part.state !== undefined
    : part.type === 'tool_result' && part.is_error !== undefined;
}

/** The parts of a message other than text: images, files, function calls. */
export function MessageParts({ message }: { message: Message }): JSX.Element {
  const { chat_id, id } = message;
  const read: ReadFile = (hash) => api.chat.readFile({ path: { chat_id, message_id: id, hash } });
  return <Parts parts={message.parts ?? []} read={read} />;
}

/** @param read see `ReadFile` */
export function Parts({ parts, read }: { parts: Part[]; read: ReadFile }): JSX.Element {
  return (
    <div class="parts">
      {parts.map((part, index) => (
        <PartView key={index} part={part} read={read} />
      ))}
    </div>
  );
}

function PartView({ part, read }: { part: Part; read: ReadFile }): JSX.Element | null {
  if ('hash' in part) {
    return PICTURES.includes(part.media_type) ? <Picture part={part} read={read} /> : <File part={part} read={read} />;
  }
  if (isMadeHere(part)) return null;
  if (part.type === 'tool_call') return <Call name={part.name} text={part.arguments} />;
  if (part.type === 'tool_result') return <Call name={t('tool_result')} text={part.content} />;
  if (part.type === 'compaction') return <p class="soft">{t('summed_up')}</p>;
  return null;
}

function Picture({ part, read }: { part: FilePart; read: ReadFile }): JSX.Element {
  const [bytes, setBytes] = useState<Blob>();
  const [isLarge, setIsLarge] = useState(false);
  const address = useObjectUrl(bytes);
  const name = part.name ?? t('image');
  useEffect(() => {
    let isGone = false;
    read(part.hash).then(
      (blob) => !isGone && setBytes(new Blob([blob], { type: part.media_type })),
      // If the file cannot be read, its name stays on screen.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [part.hash]);
  return (
    <figure class="picture">
      {address && (
        <button
          type="button"
          class="picture-open"
          aria-label={t('open_picture', { name })}
          onClick={() => setIsLarge(true)}
        >
          <img src={address} alt={name} />
        </button>
      )}
      <figcaption>
        <File part={part} read={read} />
      </figcaption>
      {isLarge && (
        <Dialog title={name} onClose={() => setIsLarge(false)}>
          <img class="picture-large" src={address} alt={name} />
        </Dialog>
      )}
    </figure>
  );
}

function File({ part, read }: { part: FilePart; read: ReadFile }): JSX.Element {
  const name = part.name ?? part.media_type;
  return (
    <button
      type="button"
      class="button small"
      onClick={() => void attempt(async () => saveFile(await read(part.hash), part.name ?? part.hash))}
    >
      <Icon name="download" />
      <bdi>{name}</bdi>
      <span class="soft amount">{formatKilobytes(part.bytes)}</span>
    </button>
  );
}

function Call({ name, text }: { name: string; text: string }): JSX.Element {
  return (
    <details class="call">
      <summary>
        <code>{name}</code>
      </summary>
      <pre dir="ltr">{text}</pre>
    </details>
  );
}
