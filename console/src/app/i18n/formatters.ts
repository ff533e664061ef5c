/** To make one takes a hundred times as long as to use it, and a table has one in each cell. */
const made = new Map<string, object>();

/** The formatter of a language for these options, such as `Intl.NumberFormat`. */
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
