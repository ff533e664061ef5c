/** The price list included in this release. */
export class BundledPricesDto {
  /** Date of the prices. @example "2026-09-23" */
  as_of: string;

  /** Source of the prices. @example "genai-prices 0.1.8" */
  source: string;

  /** Always `models.dev`: the format for the import. @example "models.dev" */
  format: string;

  /** The file, to send as the body of the import. */
  file: Record<string, object>;
}
