import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { IconButton } from '../../../components/button';
import { useFileDrop } from '../../../components/file-drop';
import { lazy } from '../../../components/page/lazy';
import { AttachButton, pastedFiles } from '../attachments/attach-button';
import { AttachmentFaults } from '../attachments/attachment-faults';
import { AttachmentList } from '../attachments/attachment-list';
import { KnowledgeButton } from '../knowledge/knowledge-button';
import type { KnowledgeDialogProps } from '../knowledge/knowledge-dialog';
import { ENTRY_ID } from '../shortcuts';
import type { Attachment } from '../state/attachments/attachments';
import type { NewMessage } from '../state/open-chat/live-reply';
import type { Agent } from '../state/types';
import { workspace } from '../state/workspace';
import { BudgetHint } from './budget-hint';
import { isSendKey } from './enter-key';
import { fitHeight } from './fit-height';

const t = texts('chat');

const KnowledgeDialog = lazy<KnowledgeDialogProps>(
  async () => (await import('../knowledge/knowledge-dialog')).KnowledgeDialog,
  'knowledge',
);

/** The service's limit. */
const MOST_CHARACTERS = 32_000;
const SHOWS_COUNT_FROM = 30_000;

interface ComposerProps {
  /** Key of the draft. */
  place: string;
  /** The agent that replies; null if unknown. */
  agent: (Pick<Agent, 'name' | 'input'> & { model?: string | null }) | null;
  /** A message that could not be sent. */
  returned?: NewMessage;
  isWriting?: boolean;
  isStopping?: boolean;
  isDisabled?: boolean;
  onSend: (message: NewMessage) => void;
  onStop?: () => void;
  /** Called on arrow up in an empty input. */
  onUp?: () => void;
  /** Ids of the collections that are searched in the conversation. */
  knowledge?: readonly number[];
  onKnowledge: (ids: number[]) => Promise<void>;
  /** Content above the input. */
  children?: ComponentChildren;
}

/** The message input, and what a message may use. The dialog has a form of its own, which cannot be within another. */
export function Composer(props: ComposerProps): JSX.Element {
  const [isChoosing, setIsChoosing] = useState(false);
  const { place, knowledge = [], onKnowledge } = props;
  return (
    <>
      <ComposerForm {...props} onChoose={() => setIsChoosing(true)} />
      {isChoosing && (
        <KnowledgeDialog
          chosen={knowledge}
          onChoose={onKnowledge}
          attachments={workspace().attachments.of(place)}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </>
  );
}

/** The message input. It grows with its text. */
function ComposerForm(props: ComposerProps & { onChoose: () => void }): JSX.Element {
  const {
    place,
    agent,
    returned,
    isWriting = false,
    isStopping = false,
    isDisabled = false,
    onSend,
    onStop,
    onUp,
    knowledge = [],
    onChoose,
  } = props;
  const entry = useRef<HTMLTextAreaElement>(null);
  const { drafts, attachments: places } = workspace();
  const attachments = places.of(place);
  const files = attachments.files.value;
  const [text, setText] = useState(() => drafts.read(place));
  const [taken, setTaken] = useState<NewMessage>();
  const isTooLong = text.length > MOST_CHARACTERS;
  const isRefused = ({ kind }: Attachment): boolean => agent !== null && !agent.input.includes(kind);
  const isReady = files.every((file) => file.progress.value === 1 && !isRefused(file));
  const isEmpty = text.trim() === '' && files.length === 0;
  const canSend = !isEmpty && isReady && !isTooLong && !isWriting && !isDisabled;
  const attach = (chosen: File[]): void => void attachments.add(chosen);
  const isOver = useFileDrop(attach);

  const change = (changed: string): void => {
    setText(changed);
    drafts.keep(place, changed);
  };
  const send = (): void => {
    if (!canSend) return;
    change('');
    onSend({ content: text, files: attachments.take() });
  };

  // Set during the same render that shows the reason, so that the text is never missing from the screen and the user
  // cannot type in between.
  if (returned !== taken) {
    setTaken(returned);
    if (returned) setText(text === '' ? returned.content : `${returned.content}\n\n${text}`);
  }
  useLayoutEffect(() => {
    if (!returned) return;
    drafts.keep(place, text);
    attachments.putBack(returned.files);
  }, [returned]);
  // The button changes between stop and send. A user who stopped or watched the reply continues in the input.
  useLayoutEffect(() => {
    if (!isWriting && document.activeElement?.closest('.composer-box')) entry.current?.focus();
  }, [isWriting]);
  useLayoutEffect(() => void (entry.current && fitHeight(entry.current)), [text]);
  useEffect(() => {
    // On touch screens, the keyboard would cover half of the chat.
    if (!matchMedia('(pointer: coarse)').matches) entry.current?.focus({ preventScroll: true });
  }, []);

  const press = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (isSendKey(event)) {
      event.preventDefault();
      send();
    } else if (event.key === 'Escape' && isWriting) {
      onStop?.();
    } else if (event.key === 'ArrowUp' && text === '' && onUp && !isWriting) {
      event.preventDefault();
      onUp();
    }
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {props.children}
      {files.length > 0 && (
        <AttachmentList files={files} isRefused={isRefused} onRemove={(file) => attachments.remove(file)} />
      )}
      <AttachmentFaults attachments={attachments} agent={agent} isRefused={isRefused} />
      <BudgetHint />
      <div class={isOver ? 'composer-box over' : 'composer-box'}>
        <textarea
          id={ENTRY_ID}
          ref={entry}
          rows={1}
          dir="auto"
          aria-label={t('message')}
          aria-invalid={isTooLong || undefined}
          placeholder={isOver ? t('drop_files') : t('message')}
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={press}
          onPaste={(event) => {
            const pasted = pastedFiles(event);
            if (pasted.length === 0) return;
            event.preventDefault();
            attach(pasted);
          }}
        />
        <AttachButton onFiles={attach} />
        <KnowledgeButton count={knowledge.length} onClick={onChoose} />
        <AgentName agent={agent} />
        {isWriting ? (
          <IconButton icon="stop" kind="primary" label={t('stop')} busy={isStopping} onClick={onStop} />
        ) : (
          <IconButton icon="send" kind="primary" type="submit" label={t('send')} disabled={!canSend} />
        )}
      </div>
      {text.length > SHOWS_COUNT_FROM && (
        <p class={`count ${isTooLong ? 'fault' : 'soft'}`} role="status">
          {isTooLong
            ? t('too_long', { over: text.length - MOST_CHARACTERS })
            : t('characters', { count: text.length, most: MOST_CHARACTERS })}
        </p>
      )}
    </form>
  );
}

function AgentName({ agent }: Pick<ComposerProps, 'agent'>): JSX.Element {
  return (
    <p class="composer-agent soft">
      {agent && <bdi>{agent.name}</bdi>}
      {agent?.model && <bdi>{agent.model}</bdi>}
    </p>
  );
}
