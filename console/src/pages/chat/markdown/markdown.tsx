import type { ComponentChild, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { drawNodes } from './draw';
import { type Block, MarkdownReader } from './reader';

/** So much of a text is read and drawn at once; the rest follows in the next frames. */
const SLICE = 4_000;

/** So many blocks are one part of the page, which the browser leaves out while it is not in view. */
const PART = 30;

/** Drawn parts by the nodes of their last block: the same drawing is given again, so Preact does not even compare it. */
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

/** A Markdown text, which may grow. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const reader = useRef<MarkdownReader>();
  const [length, setLength] = useState(SLICE);
  const isWhole = length >= text.length;
  // A text that grows while it is written is drawn up to its end; one that is there already comes slice by slice.
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

  return <div class="markdown">{parts(reader.current?.blocks ?? [])}</div>;
}
