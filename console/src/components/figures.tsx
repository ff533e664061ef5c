import type { ComponentChildren, JSX } from 'preact';

/** Numbers to look at, each with what it counts. */
export function Figures({ figures }: { figures: [string, string, ComponentChildren?][] }): JSX.Element {
  return (
    <dl class="cards figures">
      {figures.map(([label, value, beside]) => (
        <div key={label} class="card figure">
          <dt>{label}</dt>
          <dd>{value}</dd>
          {beside && <dd class="beside">{beside}</dd>}
        </div>
      ))}
    </dl>
  );
}
