import { posix } from 'node:path';
import { DocumentFailure } from '../document-failure';
import { type DocumentText, DocumentWriter } from './document-text';
import { writeHtml } from './html';
import { localName, readXml } from './markup';
import type { ZipArchive } from './zip-archive';

const ENCRYPTION = 'META-INF/encryption.xml';

/** EPUB: the chapters in their reading order. */
export function readEpub(archive: ZipArchive): DocumentText {
  const writer = new DocumentWriter();
  const encrypted = encryptedMembers(archive);
  for (const chapter of chaptersOf(archive)) {
    if (encrypted.has(chapter)) {
      throw new DocumentFailure('encrypted');
    }
    const source = new TextDecoder().decode(archive.read(chapter));
    writeHtml(source, writer, true);
  }
  return writer.finish();
}

function chaptersOf(archive: ZipArchive): string[] {
  let book = '';
  readXml(archive.read('META-INF/container.xml'), {
    open: (name, attributes) => {
      book ||= localName(name) === 'rootfile' ? (attributes['full-path'] ?? '') : '';
    },
  });
  const members = new Map<string, string>();
  const order: string[] = [];
  readXml(archive.read(book), {
    open: (name, { id, href, idref }) => {
      if (localName(name) === 'item' && id !== undefined && href !== undefined) {
        members.set(id, posix.join(posix.dirname(book), unescaped(href)));
      } else if (localName(name) === 'itemref' && idref !== undefined) {
        order.push(idref);
      }
    },
  });
  return order.map((id) => members.get(id)).filter((name) => name !== undefined);
}

/** Fonts are often obfuscated, chapters only with copy protection. */
function encryptedMembers(archive: ZipArchive): Set<string> {
  const members = new Set<string>();
  if (archive.has(ENCRYPTION)) {
    readXml(archive.read(ENCRYPTION), {
      open: (name, { URI: address }) => {
        if (localName(name) === 'CipherReference' && address !== undefined) {
          members.add(unescaped(address));
        }
      },
    });
  }
  return members;
}

function unescaped(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
