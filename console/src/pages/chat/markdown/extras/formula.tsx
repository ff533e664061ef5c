import { type ComponentChild, h, type JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { lazyPart } from './lazy-part';
import type { MathNode } from './math-tree';

const mathematics = lazyPart(() => import('./math-tree'));

interface FormulaProps {
  /** The source without delimiters; null while it is incomplete. */
  tex: string | null;
  /** The full source. It is shown until the formula is rendered, and if it is invalid. */
  raw: string;
  isBlock: boolean;
}

/** A formula as MathML. */
export function Formula({ tex, raw, isBlock }: FormulaProps): JSX.Element {
  const source = <span class={`formula-source ${isBlock ? 'apart' : ''}`}>{raw}</span>;
  return tex === null ? source : <Drawn tex={tex} isBlock={isBlock} source={source} />;
}

interface DrawnProps {
  tex: string;
  isBlock: boolean;
  source: JSX.Element;
}

function Drawn({ tex, isBlock, source }: DrawnProps): JSX.Element {
  const loaded = mathematics.use();
  const tree = useMemo(() => loaded?.readMathematics(tex, isBlock) ?? null, [loaded, tex, isBlock]);
  if (!tree) return source;
  return isBlock ? (
    <span class="formula apart" tabIndex={0} role="group" aria-label={tex}>
      {drawMathematics(tree)}
    </span>
  ) : (
    <span class="formula">{drawMathematics(tree)}</span>
  );
}

function drawMathematics(node: MathNode): ComponentChild {
  if (typeof node === 'string') return node;
  const { name, attributes, style, children } = node;
  return h(name, { ...attributes, style }, ...children.map(drawMathematics));
}
