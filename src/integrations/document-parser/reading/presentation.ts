import { type DocumentText, DocumentWriter } from './document-text';
import { localName, readXml } from './markup';
import { relationshipsOf } from './relationships';
import { TableRows } from './table-rows';
import type { ZipArchive } from './zip-archive';

const MAIN = 'ppt/presentation.xml';

/** PPTX: slides in their order, each with its notes. */
export function readPresentation(archive: ZipArchive): DocumentText {
  const writer = new DocumentWriter();
  const slides = relationshipsOf(archive, MAIN);
  readXml(archive.read(MAIN), {
    open: (name, attributes) => {
      const slide = localName(name) === 'sldId' ? slides.get(attributes['r:id'] ?? '')?.target : undefined;
      if (slide !== undefined) {
        writer.page();
        readSlide(archive.read(slide), writer);
        const notes = [...relationshipsOf(archive, slide).values()].find(({ type }) => type.endsWith('/notesSlide'));
        if (notes !== undefined) {
          readSlide(archive.read(notes.target), writer);
        }
      }
    },
  });
  return writer.finish();
}

/** Reads the shapes and tables of a slide, or of its notes. */
function readSlide(bytes: Uint8Array, writer: DocumentWriter): void {
  let kind = '';
  let text = '';
  let isText = false;
  let rows: TableRows | null = null;
  let cells: string[] = [];
  readXml(bytes, {
    open: (element, { type }) => {
      const name = localName(element);
      isText = name === 't';
      if (name === 'sp') {
        kind = '';
      } else if (name === 'ph') {
        kind = type ?? '';
      } else if (name === 'tbl') {
        rows = new TableRows(writer);
      } else if (name === 'br') {
        text += '\n';
      }
    },
    text: (part) => {
      text += isText ? part : '';
    },
    close: (element) => {
      const name = localName(element);
      isText = false;
      if (name === 'p' && rows === null) {
        writeParagraph(writer, kind, text);
        text = '';
      } else if (name === 'p') {
        text += ' ';
      } else if (name === 'tc') {
        cells.push(text);
        text = '';
      } else if (name === 'tr') {
        rows?.add(cells);
        cells = [];
      } else if (name === 'tbl') {
        rows = null;
      }
    },
  });
}

function writeParagraph(writer: DocumentWriter, kind: string, text: string): void {
  if (kind === 'title' || kind === 'ctrTitle') {
    writer.heading(1, text);
  } else if (kind !== 'sldNum' && kind !== 'dt' && kind !== 'ftr') {
    writer.line(text);
  }
}
