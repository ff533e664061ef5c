import type { Citation } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { api, saveFile } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { Button, IconButton } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { MissingPassage, PassageView } from '../../../components/knowledge/passage-view';

const t = texts('knowledge');
const chat = texts('chat');
const shell = texts('shell');

interface PassagePanelProps {
  citation: Citation;
  onClose: () => void;
}

/** The passage of a citation: next to the chat, or in a dialog if there is no space. */
export function PassagePanel({ citation, onClose }: PassagePanelProps): JSX.Element {
  const passage = <CitedPassage key={`${citation.file_id} ${citation.start}`} citation={citation} />;
  if (matchMedia('(width >= 64rem)').matches) {
    return (
      <Beside citation={citation} onClose={onClose}>
        {passage}
      </Beside>
    );
  }
  return (
    <Dialog title={citation.filename} onClose={onClose}>
      {passage}
    </Dialog>
  );
}

function Beside({ citation, onClose, children }: PassagePanelProps & { children: JSX.Element }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const opener = useRef(document.activeElement);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [citation]);
  const close = (): void => {
    onClose();
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  return (
    <section
      class="passage-panel"
      aria-label={chat('source', { number: String(citation.number), name: citation.filename })}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <div class="row spread">
        <h2 ref={heading} tabIndex={-1}>
          {citation.number}. <bdi>{citation.filename}</bdi>
        </h2>
        <IconButton icon="close" label={shell('close')} onClick={close} />
      </div>
      {children}
    </section>
  );
}

/** A citation of deleted text has no file. A file of the chat is in no collection: its quote is shown, and the file opens. */
function CitedPassage({ citation }: { citation: Citation }): JSX.Element {
  const { file_id: fileId, store_id: storeId, filename, quote, start, end } = citation;
  if (typeof fileId !== 'number') return <MissingPassage />;
  if (typeof storeId === 'number') {
    return <PassageView passage={{ storeId, fileId, filename, start: start ?? undefined, end: end ?? undefined }} />;
  }
  return (
    <>
      <p class="soft">{t('passage_of_chat')}</p>
      <p class="passage" dir="auto">
        {quote}
      </p>
      <Button icon="download" onClick={() => void attempt(() => download(fileId, filename))}>
        {t('download_file')}
      </Button>
    </>
  );
}

async function download(id: number, name: string): Promise<void> {
  saveFile(await api.files.readContent({ path: { id } }), name);
}
