import { useEffect, useState } from 'preact/hooks';
import type { ColouredText } from './code-colours';
import { lazyPart } from './lazy-part';

const colours = lazyPart(() => import('./code-colours'));

/** Code is coloured after this pause in its growth. Colouring it after each token would take quadratic time. */
const REST_MILLISECONDS = 200;

/** The coloured code; undefined while the highlighter loads, and for unknown languages. */
export function useColours(language: string, text: string): ColouredText[] | undefined {
  const loaded = colours.use();
  const [coloured, setColoured] = useState<{ text: string; parts: ColouredText[] | undefined }>();
  useEffect(() => {
    if (!loaded) return undefined;
    const rest = setTimeout(
      () => setColoured({ text, parts: loaded.readCode(language, text) }),
      coloured ? REST_MILLISECONDS : 0,
    );
    return () => clearTimeout(rest);
  }, [loaded, language, text]);
  return coloured?.text === text ? coloured.parts : undefined;
}
