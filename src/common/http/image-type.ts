import { GIF } from 'image-size/types/gif';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';

/** The library's other function measures an image, and takes seconds for a maliciously crafted file. */
const IMAGES = new Map([
  ['image/png', PNG],
  ['image/jpeg', JPG],
  ['image/gif', GIF],
  ['image/webp', WEBP],
]);

/** The media type of an image that browsers show and that cannot run code, by its content; null for other content. */
export function imageType(bytes: Buffer): string | null {
  for (const [mediaType, image] of IMAGES) {
    if (isValid(() => image.validate(bytes))) {
      return mediaType;
    }
  }
  return null;
}

/** The library throws for some files that begin like an image but are not. */
function isValid(validate: () => boolean): boolean {
  try {
    return validate();
  } catch {
    return false;
  }
}
