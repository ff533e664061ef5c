import { type ZipMember, zipOf } from './zip';

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const OFFICE_TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

function types(...parts: [part: string, type: string][]): ZipMember {
  const overrides = parts.map(
    ([part, type]) =>
      `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
  );
  const data = `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`;
  return { name: '[Content_Types].xml', data };
}

function relationships(name: string, ...targets: [type: string, target: string][]): ZipMember {
  const all = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE_TYPES}/${type}" Target="${target}"/>`,
  );
  return { name, data: `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>` };
}

/** A DOCX with this body, in WordprocessingML. */
export function docxOf(body: string, others: ZipMember[] = []): Buffer {
  return zipOf([
    types(['word/document.xml', 'wordprocessingml.document.main']),
    relationships('_rels/.rels', ['officeDocument', 'word/document.xml']),
    { name: 'word/document.xml', data: `${HEAD}<w:document ${W}><w:body>${body}</w:body></w:document>` },
    {
      name: 'word/styles.xml',
      data: `${HEAD}<w:styles ${W}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    },
    relationships('word/_rels/document.xml.rels', ['styles', 'styles.xml']),
    ...others,
  ]);
}

export function wordParagraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

export function wordTable(rows: string[][]): string {
  const cell = (text: string): string => `<w:tc>${wordParagraph(text)}</w:tc>`;
  return `<w:tbl>${rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('')}</w:tbl>`;
}

/** A PPTX whose slides have a title and a text. */
export function pptxOf(slides: [title: string, text: string][], notes?: string): Buffer {
  const P = `xmlns:p="p" xmlns:a="a" ${R}`;
  const shape = (kind: string, text: string): string =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const ids = slides.map((_slide, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`);
  return zipOf([
    types(['ppt/presentation.xml', 'presentationml.presentation.main']),
    relationships('_rels/.rels', ['officeDocument', 'ppt/presentation.xml']),
    {
      name: 'ppt/presentation.xml',
      data: `${HEAD}<p:presentation ${P}><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    },
    relationships(
      'ppt/_rels/presentation.xml.rels',
      ...slides.map((_slide, index): [string, string] => ['slide', `slides/slide${index + 1}.xml`]),
    ),
    ...slides.map(([title, text], index) => ({
      name: `ppt/slides/slide${index + 1}.xml`,
      data: `${HEAD}<p:sld ${P}>${shape('title', title)}${shape('body', text)}</p:sld>`,
    })),
    ...(notes === undefined
      ? []
      : [
          relationships('ppt/slides/_rels/slide1.xml.rels', ['notesSlide', '../notesSlides/notesSlide1.xml']),
          { name: 'ppt/notesSlides/notesSlide1.xml', data: `${HEAD}<p:notes ${P}>${shape('body', notes)}</p:notes>` },
        ]),
  ]);
}

/** An XLSX with one sheet whose rows are given as XML. */
export function xlsxOf(sheet: string, rows: string, texts: string[] = []): Buffer {
  return zipOf([
    types(['xl/workbook.xml', 'spreadsheetml.sheet.main']),
    relationships('_rels/.rels', ['officeDocument', 'xl/workbook.xml']),
    {
      name: 'xl/workbook.xml',
      data: `${HEAD}<workbook ${R}><sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    },
    relationships('xl/_rels/workbook.xml.rels', ['worksheet', 'worksheets/sheet1.xml']),
    { name: 'xl/worksheets/sheet1.xml', data: `${HEAD}<worksheet><sheetData>${rows}</sheetData></worksheet>` },
    {
      name: 'xl/sharedStrings.xml',
      data: `${HEAD}<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    },
    {
      name: 'xl/styles.xml',
      data: `${HEAD}<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    },
  ]);
}

/** An ODT, ODP or ODS with this content of `office:body`. */
export function openDocumentOf(
  kind: 'text' | 'presentation' | 'spreadsheet',
  body: string,
  others: ZipMember[] = [],
): Buffer {
  return zipOf([
    { name: 'mimetype', data: `application/vnd.oasis.opendocument.${kind}`, isStored: true },
    {
      name: 'content.xml',
      data: `${HEAD}<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="tb" xmlns:draw="d"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    },
    ...others,
  ]);
}

/** An EPUB with these chapters, in XHTML. */
export function epubOf(chapters: string[], others: ZipMember[] = []): Buffer {
  const items = chapters.map((_chapter, index) => `<item id="c${index}" href="c${index}.xhtml"/>`).join('');
  const order = chapters.map((_chapter, index) => `<itemref idref="c${index}"/>`).join('');
  return zipOf([
    { name: 'mimetype', data: 'application/epub+zip', isStored: true },
    {
      name: 'META-INF/container.xml',
      data: `${HEAD}<container><rootfiles><rootfile full-path="book/book.opf"/></rootfiles></container>`,
    },
    {
      name: 'book/book.opf',
      data: `${HEAD}<package><manifest>${items}</manifest><spine>${order}</spine></package>`,
    },
    ...chapters.map((chapter, index) => ({
      name: `book/c${index}.xhtml`,
      data: `${HEAD}<html><head><title/></head><body>${chapter}</body></html>`,
    })),
    ...others,
  ]);
}
