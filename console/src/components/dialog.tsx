import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { texts } from '../app/i18n/languages';
import { visit } from '../app/visit';
import { Button, IconButton } from './button';
import { OpenDialogs } from './open-dialogs';
import { Toasts } from './toasts';

const t = texts('shell');

interface DialogProps {
  title: string;
  /** Called when the user closes it. The caller must remove the dialog. */
  onClose: () => void;
  children: ComponentChildren;
}

/** The browser's native modal dialog. It traps the focus, closes with Escape and restores the focus. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const self = useMemo(() => Symbol(title), []);
  // Runs before the effects of the children, which may move the focus.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    const opened = visit().part(OpenDialogs);
    dialog?.showModal();
    opened.add(self);
    return () => {
      opened.remove(self);
      // While the dialog is open, no element outside it can have the focus.
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="stack">
        <div class="row spread dialog-head">
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label={t('close')} onClick={onClose} />
        </div>
        {children}
      </div>
      <Toasts dialog={self} />
    </dialog>
  );
}

interface Question {
  title: string;
  /** The effect of the action, and whether it can be undone. */
  text: string;
  children?: ComponentChildren;
  /** Label of the button, such as “Delete”. */
  action: string;
  isDangerous?: boolean;
}

/** Asks the user for confirmation, one question at a time. */
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

/** Asks the user to confirm an action with consequences. */
export function confirm(question: Question): Promise<boolean> {
  return visit().part(Questions).ask(question);
}

/** Renders the question of `confirm`. Include it once per page. */
export function OpenQuestion(): JSX.Element | null {
  const open = visit().part(Questions).open.value;
  if (!open) return null;
  const { question, answer } = open;
  return (
    <Dialog title={question.title} onClose={() => answer(false)}>
      <p>{question.text}</p>
      {question.children}
      <div class="row end">
        <Button onClick={() => answer(false)}>{t('cancel')}</Button>
        <Button kind={question.isDangerous ? 'danger' : 'primary'} onClick={() => answer(true)}>
          {question.action}
        </Button>
      </div>
    </Dialog>
  );
}
