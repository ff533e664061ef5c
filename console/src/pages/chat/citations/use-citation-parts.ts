import { useEffect, useState } from 'preact/hooks';
import type * as Parts from './cited-reply';

type CitationParts = typeof Parts;

/** The components that show citations. Until they are loaded, the text is shown without its numbers. */
export function useCitationParts(isNeeded: boolean): CitationParts | undefined {
  const [parts, setParts] = useState<CitationParts>();
  useEffect(() => {
    if (isNeeded) void import('./cited-reply').then(setParts, () => undefined);
  }, [isNeeded]);
  return isNeeded ? parts : undefined;
}
