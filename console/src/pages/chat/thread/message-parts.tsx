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
export function wordsOf({ content, parts }: Message): string {
  return parts === null ? content : parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

/** What a message has beside its text: pictures, files, calls of functions. */
export function MessageParts({ message }: { message: Message }): JSX.Element {
  return (
    <div class="parts">
      {message.parts?.map((part, index) => (
        <PartView key={index} message={message} part={part} />
      ))}
    </div>
  );
}

function PartView({ message, part }: { message: Message; part: Part }): JSX.Element | null {
  if ('hash' in part) {
    return PICTURES.includes(part.media_type) ? (
      <Picture message={message} part={part} />
    ) : (
      <File message={message} part={part} />
    );
  }
  if (part.type === 'tool_call') return <Call name={part.name} text={part.arguments} />;
  if (part.type === 'tool_result') return <Call name={t('tool_result')} text={part.content} />;
  if (part.type === 'compaction') return <p class="soft">{t('summed_up')}</p>;
  return null;
}

async function readFile({ chat_id, id }: Message, { hash }: FilePart): Promise<Blob> {
  return await api.chat.readFile({ path: { chat_id, message_id: id, hash } });
}

function Picture({ message, part }: { message: Message; part: FilePart }): JSX.Element {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    let isGone = false;
    readFile(message, part).then(
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
        <File message={message} part={part} />
      </figcaption>
    </figure>
  );
}

function File({ message, part }: { message: Message; part: FilePart }): JSX.Element {
  const name = part.name ?? part.media_type;
  return (
    <button
      type="button"
      class="button small"
      onClick={() => void attempt(async () => saveFile(await readFile(message, part), part.name ?? part.hash))}
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
