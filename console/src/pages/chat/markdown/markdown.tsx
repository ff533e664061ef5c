import type { ComponentChild, JSX } from 'preact';
import { useContext, useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { Printed } from '../../../app/printing';
import { drawNodes } from './draw';
import { Footnotes } from './footnote';
import { type Block, MarkdownReader } from './reader';

/** Characters that are parsed and rendered at once. The rest follows in later frames. */
const SLICE = 4_000;

/** Blocks per part. The browser skips the layout of parts that are off screen. */
const PART = 30;

/** Rendered parts by the nodes of their last block. Preact skips the comparison of an identical element. */
const drawn = new WeakMap<Block['nodes'], ComponentChild>();

function parts(blocks: Block[]): ComponentChild[] {
  const found: ComponentChild[] = [];
  for (let start = 0; start < blocks.length; start += PART) found.push(part(blocks.slice(start, start + PART), start));
  return found;
}

function part(blocks: Block[], start: number): ComponentChild {
  const last = blocks.at(-1)?.nodes ?? [];
  const isFull = blocks.length === PART;
  const drawing = drawn.get(last) ?? drawPart(blocks, start, isFull);
  if (isFull) drawn.set(last, drawing);
  return drawing;
}

function drawPart(blocks: Block[], start: number, isFull: boolean): ComponentChild {
  return (
    <div key={start} class={`part ${isFull ? 'full' : ''}`}>
      {blocks.map(({ key, nodes }) => (
        <div key={key} class="block" dir="auto">
          {drawNodes(nodes)}
        </div>
      ))}
    </div>
  );
}

/** Renders Markdown text, which may grow. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const reader = useRef<MarkdownReader>();
  const [length, setLength] = useState(SLICE);
  const isWhole = useContext(Printed) || length >= text.length;
  // A growing text is rendered completely. A text that already exists is rendered slice by slice.
  const shown = isWhole ? text : text.slice(0, length);
  const read = useRef<string>();
  if (read.current !== shown) {
    reader.current ??= new MarkdownReader();
    if (!reader.current.read(shown)) {
      reader.current = new MarkdownReader();
      reader.current.read(shown);
    }
    read.current = shown;
  }

  useEffect(() => {
    if (isWhole) return setLength(text.length + SLICE);
    const frame = requestAnimationFrame(() => setLength(length + SLICE));
    return () => cancelAnimationFrame(frame);
  }, [isWhole, length, text]);

  const id = useId();
  const numbers = reader.current?.footnotes;
  const footnotes = useMemo(() => numbers && { id, numbers }, [id, numbers]);
  return (
    <Footnotes.Provider value={footnotes ?? null}>
      <div class="markdown">{parts(reader.current?.blocks ?? [])}</div>
    </Footnotes.Provider>
  );
}
