import '../../styles/parts/sections.css';
import type { ComponentChildren, JSX } from 'preact';

interface SectionProps {
  title: string;
  hint?: string;
  children: ComponentChildren;
}

/** A topic of a page with settings: its name on the left, its fields on the right; on narrow screens, one below the other. */
export function Section({ title, hint, children }: SectionProps): JSX.Element {
  return (
    <section class="section">
      <div class="stack tight">
        <h2>{title}</h2>
        {hint && <p class="soft">{hint}</p>}
      </div>
      <div class="stack">{children}</div>
    </section>
  );
}
