import { isObject } from 'class-validator';

/** The parts of the export's response that matter here. */
interface ExportedAnswer {
  data?: unknown;
  agents?: unknown;
  lang?: unknown;
}

/**
 * Also accepts the whole response of the export, because files usually contain it, and takes the document from `data`.
 */
export function fromExportedAnswer(body: unknown): unknown {
  return isObject<ExportedAnswer>(body) && body.agents === undefined && isObject<object>(body.data)
    ? { lang: body.lang, ...body.data }
    : body;
}
