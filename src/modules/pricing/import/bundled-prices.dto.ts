/** Prices that came with the service. */
export class BundledPricesDto {
  /** The day as of which they are. @example "2026-09-23" */
  as_of: string;

  /** Where they are from. @example "genai-prices 0.1.8" */
  source: string;

  /** Always `models.dev`: the format for the import. @example "models.dev" */
  format: string;

  /** The file: the body of the import. */
  file: Record<string, object>;
}
