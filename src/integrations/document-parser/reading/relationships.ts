import { posix } from 'node:path';
import { readXml } from './markup';
import type { ZipArchive } from './zip-archive';

/** The members that a member of an Office file refers to, by the ids of the relationships. */
export function relationshipsOf(archive: ZipArchive, member: string): Map<string, { target: string; type: string }> {
  const found = new Map<string, { target: string; type: string }>();
  const name = `${posix.dirname(member)}/_rels/${posix.basename(member)}.rels`;
  if (!archive.has(name)) {
    return found;
  }
  readXml(archive.read(name), {
    open: (element, { Id: id, Target: target, Type: type, TargetMode: mode }) => {
      if (element.endsWith('Relationship') && id !== undefined && target !== undefined && mode !== 'External') {
        found.set(id, { target: memberName(member, target), type: type ?? '' });
      }
    },
  });
  return found;
}

function memberName(from: string, target: string): string {
  return target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(from), target);
}
