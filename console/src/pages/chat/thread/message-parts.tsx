import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api, saveFile } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { Icon } from '../../../components/icon';
import type { Message } from '../state/types';

const t = texts('chat');

type Part = NonNullable<Message['parts']>[number];
type FilePart = Extract<Part, { hash: string }>;

/** Kinds of pictures that browsers show. Others are files. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** What was typed: the content of a message has the results of functions too. */
export function wordsOf({ content, parts }: Pick<Message, 'content' | 'parts'>): string {
  return parts === null ? content : parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

/** Gives the bytes of a file, whoever may read it here. */
type ReadFile = (hash: string) => Promise<Blob>;

/** What a message has beside its text: pictures, files, calls of functions. */
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
  if (part.type === 'tool_call') return <Call name={part.name} text={part.arguments} />;
  if (part.type === 'tool_result') return <Call name={t('tool_result')} text={part.content} />;
  if (part.type === 'compaction') return <p class="soft">{t('summed_up')}</p>;
  return null;
}

function Picture({ part, read }: { part: FilePart; read: ReadFile }): JSX.Element {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    let isGone = false;
    read(part.hash).then(
      (blob) => {
        if (isGone) return;
        made = URL.createObjectURL(new Blob([blob], { type: part.media_type }));
        setAddress(made);
      },
      // The name of the file stays in its place.
      () => undefined,
    );
    return () => {
      isGone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [part.hash]);
  return (
    <figure class="picture">
      {address && <img src={address} alt={part.name ?? t('image')} />}
      <figcaption>
        <File part={part} read={read} />
      </figcaption>
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
      <span class="soft">
        {formatNumber(Math.ceil(part.bytes / 1024), { style: 'unit', unit: 'kilobyte', unitDisplay: 'short' })}
      </span>
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
