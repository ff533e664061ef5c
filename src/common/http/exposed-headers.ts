const LAST_PLACE = 1_000;

const places = new Map<string, number>();

/**
 * Lets scripts in browsers read these headers of a response (Access-Control-Expose-Headers). The file that sets a header
 * calls it above its class or function; when its module is loaded, the header is exposed.
 *
 * @param place among the headers: lower numbers first, the same number in the order of import; last by default. Of several calls
 *   for one header the lowest number counts.
 */
export function exposeHeaders(names: readonly string[], place = LAST_PLACE): void {
  for (const name of names) {
    places.set(name, Math.min(place, places.get(name) ?? LAST_PLACE));
  }
}

/** The exposed headers of the loaded modules, in the order in which they are sent. */
export function exposedHeaders(): string[] {
  return [...places].sort(([, one], [, other]) => one - other).map(([name]) => name);
}
