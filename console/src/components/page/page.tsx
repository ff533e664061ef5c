import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { branding } from '../../app/branding';
import { texts } from '../../app/i18n/languages';

const t = texts('shell');

interface PageProps {
  title: string;
  /** Buttons next to the title. */
  actions?: ComponentChildren;
  /** A card in the middle of the window, with the name of the installation. */
  narrow?: boolean;
  children: ComponentChildren;
}

/** Sets the document title, for the tab and the history. */
export function useTitle(title: string): void {
  const product = branding.value?.name ?? t('product');
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
}

/** The logo and the name of the installation; without a logo, a mark in its colour. */
function Brand(): JSX.Element {
  const { name, logo } = branding.value ?? {};
  const product = name ?? t('product');
  return (
    <p class="brand-head">
      {logo ? <img src={logo} alt="" /> : <span aria-hidden="true">{[...product][0]}</span>}
      {product}
    </p>
  );
}

/** A page with its heading. The heading receives the focus, so that screen readers announce the page. */
export function Page({ title, actions, narrow = false, children }: PageProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class={`page ${narrow ? 'narrow' : ''}`}>
      {narrow && <Brand />}
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
