/** Constructing a formatter takes a hundred times as long as using it, and a table needs one in each cell. */
const made = new Map<string, object>();

/** Returns a cached formatter of the language, such as `Intl.NumberFormat`, for these options. */
export function formatter<Options, Made extends object>(
  Format: new (language: string, options?: Options) => Made,
  language: string,
  options?: Options,
): Made {
  const key = `${Format.name} ${language} ${JSON.stringify(options)}`;
  const known = made.get(key) ?? new Format(language, options);
  made.set(key, known);
  return known as Made;
}
