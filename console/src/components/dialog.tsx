import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../app/i18n/languages';
import { visit } from '../app/visit';
import { Button, IconButton } from './button';

const t = texts('shell');

interface DialogProps {
  title: string;
  /** Called when the person closes it; whoever opened it takes it away. */
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
}

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape and gives the focus back. */
export function Dialog({ title, onClose, wide = false, children }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the effects of what is inside, which may take the focus.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      // While it is open, nothing outside it can have the focus.
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'wide' : ''}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="stack">
        <div class="row spread">
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label={t('close')} onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  );
}

interface Question {
  title: string;
  /** What will happen, and whether it can be undone. */
  text: string;
  /** The word on the button, such as “Delete”. */
  action: string;
  isDangerous?: boolean;
}

/** What the person is asked, one thing at a time. */
class Questions {
  readonly open = signal<{ question: Question; answer: (isWanted: boolean) => void } | null>(null);

  ask(question: Question): Promise<boolean> {
    return new Promise((resolve) => {
      this.open.value = {
        question,
        answer: (isWanted) => {
          this.open.value = null;
          resolve(isWanted);
        },
      };
    });
  }
}

/** Asks before a step with consequences. */
export function confirm(question: Question): Promise<boolean> {
  return visit().part(Questions).ask(question);
}

/** Shows what `confirm` asks; once in the page. */
export function OpenQuestion(): JSX.Element | null {
  const open = visit().part(Questions).open.value;
  if (!open) return null;
  const { question, answer } = open;
  return (
    <Dialog title={question.title} onClose={() => answer(false)}>
      <p>{question.text}</p>
      <div class="row end">
        <Button onClick={() => answer(false)}>{t('cancel')}</Button>
        <Button kind={question.isDangerous ? 'danger' : 'primary'} onClick={() => answer(true)}>
          {question.action}
        </Button>
      </div>
    </Dialog>
  );
}
