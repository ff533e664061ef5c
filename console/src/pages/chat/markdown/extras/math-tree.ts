import 'temml/dist/Temml-Local.css';
import temml from 'temml';

/** An element of MathML with what it may have, or a text. */
export type MathNode =
  | string
  | { name: string; attributes: Record<string, string>; style: Record<string, string>; children: MathNode[] };

/** What Temml makes of a formula. Nodes of texts have `text`, those without a `type` only hold others. */
interface TemmlNode {
  type?: string;
  text?: string;
  classes?: string[];
  attributes?: Record<string, unknown>;
  style?: Record<string, unknown>;
  children?: TemmlNode[];
}

/** MathML Core, without links and what else could act. */
const ELEMENTS = [
  'math',
  'mrow',
  'mi',
  'mn',
  'mo',
  'ms',
  'mtext',
  'mspace',
  'mfrac',
  'msqrt',
  'mroot',
  'mstyle',
  'mpadded',
  'mphantom',
  'merror',
  'menclose',
  'msub',
  'msup',
  'msubsup',
  'munder',
  'mover',
  'munderover',
  'mmultiscripts',
  'mprescripts',
  'none',
  'mtable',
  'mtr',
  'mtd',
];

const ATTRIBUTES = [
  'accent',
  'accentunder',
  'columnalign',
  'columnlines',
  'columnspacing',
  'columnspan',
  'depth',
  'dir',
  'display',
  'displaystyle',
  'fence',
  'form',
  'height',
  'largeop',
  'linebreak',
  'linethickness',
  'lspace',
  'mathbackground',
  'mathcolor',
  'mathsize',
  'mathvariant',
  'maxsize',
  'minsize',
  'movablelimits',
  'notation',
  'rowlines',
  'rowspacing',
  'rowspan',
  'rspace',
  'scriptlevel',
  'separator',
  'stretchy',
  'symmetric',
  'voffset',
  'width',
];

const STYLES = [
  'border',
  'borderTop',
  'borderBottom',
  'borderLeft',
  'borderRight',
  'color',
  'display',
  'font-family',
  'font-style',
  'font-weight',
  'height',
  'justifyContent',
  'math-depth',
  'margin',
  'marginLeft',
  'marginRight',
  'padding',
  'paddingLeft',
  'paddingRight',
  'textAlign',
  'width',
];

/** What is longer is no formula that somebody reads. */
const LONGEST = 5_000;

/** In em and pixels: so large is the largest thing that a formula may ask for. */
const MOST_SIZE: [number, number] = [20, 200];

/** More elements would make the page slow. */
const MOST_ELEMENTS = 5_000;

/** Null for what cannot be read: an error, or something that formulas here may not do. */
export function readMathematics(tex: string, isBlock: boolean): MathNode | null {
  if (tex.length > LONGEST) return null;
  try {
    const tree: unknown = temml.__renderToMathMLTree(tex, {
      displayMode: isBlock,
      throwOnError: true,
      trust: false,
      maxSize: MOST_SIZE,
      maxExpand: 1_000,
      wrap: isBlock ? 'none' : 'tex',
    });
    const [math] = new Reader().read(tree as TemmlNode);
    return math ?? null;
  } catch {
    return null;
  }
}

class Reader {
  private left = MOST_ELEMENTS;

  /** @throws Error for an element that is not known */
  read(node: TemmlNode): MathNode[] {
    if (--this.left < 0) throw new Error('Too large.');
    if (node.text !== undefined) return [node.text];
    const children = (node.children ?? []).flatMap((child) => this.read(child));
    if (node.type === undefined) return children;
    if (!ELEMENTS.includes(node.type)) throw new Error(`No element of formulas: ${node.type}`);
    const attributes = chosen(node.attributes, ATTRIBUTES);
    if (node.classes?.length) attributes['class'] = node.classes.join(' ');
    return [{ name: node.type, attributes, style: chosen(node.style, STYLES), children }];
  }
}

function chosen(values: Record<string, unknown> | undefined, names: string[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values ?? {}).flatMap(([name, value]) => (names.includes(name) ? [[name, String(value)]] : [])),
  );
}
