import { useEffect, useState } from 'preact/hooks';
import type { ColouredText } from './code-colours';
import { lazyPart } from './lazy-part';

const colours = lazyPart(() => import('./code-colours'));

/** While a text changes more often, it keeps one colour: to read it again with each word would cost more with each. */
const REST_MILLISECONDS = 200;

/** The code in its colours, once it is known how it is read; undefined until then, and for a language nobody knows. */
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
