import { type ComponentChild, createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { splitAtMarks } from './marks';

/** Draws the citation with this number. Without it, marks are not shown. */
export const DrawMark = createContext<(number: number) => ComponentChild>(() => null);

/** Text with marks of citations. */
export function Marked({ text }: { text: string }): JSX.Element {
  const drawMark = useContext(DrawMark);
  return <>{splitAtMarks(text).map((part) => (typeof part === 'number' ? drawMark(part) : part))}</>;
}
