import { GIF } from 'image-size/types/gif';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';

/** Their other function, which measures an image, takes seconds for a file that is made for it. */
const IMAGES = new Map([
  ['image/png', PNG],
  ['image/jpeg', JPG],
  ['image/gif', GIF],
  ['image/webp', WEBP],
]);

/** The media type of a picture that browsers show and that runs nothing, by its content; null: it is none. */
export function imageType(bytes: Buffer): string | null {
  for (const [mediaType, image] of IMAGES) {
    if (isValid(() => image.validate(bytes))) {
      return mediaType;
    }
  }
  return null;
}

/** The library throws for some files that begin like an image and are none. */
function isValid(validate: () => boolean): boolean {
  try {
    return validate();
  } catch {
    return false;
  }
}
