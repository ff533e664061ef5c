import { crc32, deflateRawSync } from 'node:zlib';

/** A member of a ZIP file. The other fields make it wrong. */
export interface ZipMember {
  name: string;
  data: Buffer | string;
  isStored?: boolean;
  flags?: number;
  method?: number;
  declaredSize?: number;
  /** Already compressed. */
  compressed?: Buffer;
}

/** A ZIP file with these members. */
export function zipOf(members: readonly ZipMember[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const data = Buffer.from(member.data as string);
    const packed = member.compressed ?? (member.isStored ? data : deflateRawSync(data, { level: 9 }));
    const name = Buffer.from(member.name);
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(member.flags ?? 0x800, 2);
    header.writeUInt16LE(member.method ?? (member.isStored ? 0 : 8), 4);
    header.writeUInt32LE(crc(data), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(member.declaredSize ?? data.length, 18);
    header.writeUInt16LE(name.length, 22);
    local.push(Buffer.from('PK\u0003\u0004', 'latin1'), header, name, packed);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\u0001\u0002\u0014\0', 'latin1'), header, tail, name);
    offset += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, Buffer.from('PK\u0005\u0006', 'latin1'), end]);
}

/** Node 20.15 and later have `crc32`, but its types do not list it. */
function crc(data: Buffer): number {
  return (crc32 as unknown as (data: Buffer) => number)(data);
}
