import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { Button } from '../../../components/button';

const t = texts('chat');

/** Collapses long content until the user expands it. */
export function ShowMore({ isLong, children }: { isLong: boolean; children: ComponentChildren }): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  if (!isLong) return <>{children}</>;
  return (
    <div class={`show-more ${isOpen ? 'open' : ''}`}>
      <div class="show-more-content">{children}</div>
      <Button kind="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {t(isOpen ? 'show_less' : 'show_more')}
      </Button>
    </div>
  );
}
