import '../styles/parts/facts.css';
import type { ComponentChildren, JSX } from 'preact';

type Fact = [name: string, value: ComponentChildren];

/** A list of names and values. Unknown facts, which are false or empty, are left out. */
export function Facts({ facts }: { facts: (Fact | false | null | undefined | '')[] }): JSX.Element {
  const known = facts.filter((fact) => typeof fact === 'object' && fact !== null);
  return (
    <dl class="facts">
      {known.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
    </dl>
  );
}
