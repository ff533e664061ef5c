import { Parser } from 'htmlparser2';
import { DocumentFailure } from '../document-failure';

/** Deepest nesting of elements. */
const DEEPEST = 256;

/** The parser gets so much at once, so that it copies little. */
const CHUNK = 65_536;

export type Attributes = Record<string, string>;

/** Called for each element in the order of the file. Names are lower case in HTML, and as written in XML. */
export interface MarkupReader {
  open(name: string, attributes: Attributes): void;
  text(text: string): void;
  close(name: string): void;
}

/**
 * Reads XML or HTML. Entities that the file itself defines are not expanded, and nothing is fetched.
 *
 * @throws DocumentFailure `unsafe` if elements are nested too deeply
 */
export function readMarkup(source: string, reader: MarkupReader, { isXml }: { isXml: boolean }): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > DEEPEST) {
          throw new DocumentFailure('unsafe');
        }
        reader.open(name, attributes);
      },
      ontext: (text) => reader.text(text),
      onclosetag: (name) => {
        depth--;
        reader.close(name);
      },
    },
    { xmlMode: isXml, decodeEntities: true },
  );
  for (let start = 0; start < source.length; start += CHUNK) {
    parser.write(source.slice(start, start + CHUNK));
  }
  parser.end();
}

/** Reads an XML member of an archive. */
export function readXml(bytes: Uint8Array, reader: Partial<MarkupReader>): void {
  const nothing = (): void => undefined;
  readMarkup(xmlText(bytes), { open: nothing, text: nothing, close: nothing, ...reader }, { isXml: true });
}

/** XML of office programs is UTF-8 or UTF-16. @throws DocumentFailure `broken` */
function xmlText(bytes: Uint8Array): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const encoding = !isUtf16 ? 'utf-8' : bytes[0] === 0xff ? 'utf-16le' : 'utf-16be';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new DocumentFailure('broken', { cause: error });
  }
}

/** The name without its prefix: `p` of `w:p`. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
