import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { branding } from '../../app/branding';
import { texts } from '../../app/i18n/languages';

const t = texts('shell');

interface PageProps {
  title: string;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  narrow?: boolean;
  children: ComponentChildren;
}

/** Tells the browser what is shown, for its tab and its history. */
export function useTitle(title: string): void {
  const product = branding.value?.name ?? t('product');
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
}

/** A page under its heading. The heading gets the focus, so that a screen reader says where the person is. */
export function Page({ title, actions, narrow = false, children }: PageProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class={`page ${narrow ? 'narrow' : ''}`}>
      <div class="row spread">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div class="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
