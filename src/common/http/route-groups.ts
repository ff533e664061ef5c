const LAST_PLACE = 1_000;

const groups = new Map<string, { name: string; description: string; place: number }>();

/**
 * Describes a group of routes (`@ApiTags`) for the documentation pages. The module with the routes calls it above its
 * class, like `declareLocales`.
 *
 * @param place among the groups: lower numbers first, the same number in the order of import; last by default
 */
export function declareRouteGroup(name: string, description: string, place = LAST_PLACE): void {
  groups.set(name, { name, description, place });
}

/** The groups of the loaded modules in the order of the page. */
export function routeGroups(): { name: string; description: string }[] {
  return [...groups.values()].sort((one, other) => one.place - other.place);
}
