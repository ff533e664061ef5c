import '../styles/parts/figures.css';
import type { ComponentChildren, JSX } from 'preact';

/** Large numbers, each with a label. */
export function Figures({ figures }: { figures: [string, ComponentChildren, ComponentChildren?][] }): JSX.Element {
  return (
    <dl class="cards figures">
      {figures.map(([label, value, beside]) => (
        <div key={label} class="figure">
          <dt>{label}</dt>
          <dd>{value}</dd>
          {beside && <dd class="beside">{beside}</dd>}
        </div>
      ))}
    </dl>
  );
}
