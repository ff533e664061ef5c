import { PATH_METADATA } from '@nestjs/common/constants';

const paths = new Set<string>();

/**
 * Leaves a path, and all paths below it, out of the log of requests. Polling tools and documentation pages would fill
 * it.
 */
export function leaveUnlogged(path: string): void {
  paths.add(path.toLowerCase());
}

/** Leaves a controller outside of the versioned API out of the log of requests. Write it above `@Controller()`. */
export const Unlogged = (): ClassDecorator => (target) => {
  leaveUnlogged(`/${Reflect.getMetadata(PATH_METADATA, target) as string}`);
};

export function isUnlogged(path: string): boolean {
  const asked = path.toLowerCase();
  return [...paths].some((unlogged) => asked === unlogged || asked.startsWith(`${unlogged}/`));
}
