import 'temml/dist/Temml-Local.css';
import temml from 'temml';

/** A MathML element with its allowed attributes, or text. */
export type MathNode =
  | string
  | { name: string; attributes: Record<string, string>; style: Record<string, string>; children: MathNode[] };

/** A node of Temml's output. Text nodes have `text`; nodes without a `type` are fragments. */
interface TemmlNode {
  type?: string;
  text?: string;
  classes?: string[];
  attributes?: Record<string, unknown>;
  style?: Record<string, unknown>;
  children?: TemmlNode[];
}

/** MathML Core without links and other interactive elements. */
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

/** Longer input is not a readable formula. */
const LONGEST = 5_000;

/** Maximum size that a formula may request, in em and pixels. */
const MOST_SIZE: [number, number] = [20, 200];

/** More elements would slow down the page. */
const MOST_ELEMENTS = 5_000;

/** Returns null for an invalid formula and for disallowed content. */
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

  /** @throws Error for an unknown element */
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
