import '../../../../styles/chat/code-colours.css';
import { common, createLowlight } from 'lowlight';

/** A piece of code with its colour classes. */
export interface ColouredText {
  text: string;
  class: string;
}

/** Longer code is not coloured. */
const LONGEST = 30_000;

/** A node of lowlight's tree. */
interface Found {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: Found[];
}

const PROMPTS = ['console', 'shell-session'];

/** Returns undefined for an unknown language. Languages are never guessed. */
export function readCode(language: string, text: string): ColouredText[] | undefined {
  const name = PROMPTS.includes(language) ? 'shell' : language.toLowerCase();
  const reader = createLowlight(common);
  if (text.length > LONGEST || !reader.registered(name)) return undefined;
  return flat(reader.highlight(name, text), '');
}

function flat({ type, value = '', properties, children = [] }: Found, around: string): ColouredText[] {
  if (type === 'text') return [{ text: value, class: around }];
  const own = Array.isArray(properties?.className) ? properties.className.join(' ') : '';
  return children.flatMap((child) => flat(child, own || around));
}
