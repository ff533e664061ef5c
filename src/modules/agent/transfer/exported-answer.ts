import { isObject } from 'class-validator';

/** The parts of the export's answer that matter here. */
interface ExportedAnswer {
  data?: unknown;
  agents?: unknown;
  lang?: unknown;
}

/** Accepts the whole answer of the export too, because files usually hold it: it takes the document from `data`. */
export function fromExportedAnswer(body: unknown): unknown {
  return isObject<ExportedAnswer>(body) && body.agents === undefined && isObject<object>(body.data)
    ? { lang: body.lang, ...body.data }
    : body;
}
