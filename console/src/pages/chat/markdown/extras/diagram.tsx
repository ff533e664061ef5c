import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../../../app/i18n/languages';
import { BASE } from '../../../../app/session';
import { useObjectUrl } from '../../attachments/use-object-url';

const t = texts('chat');

/** A longer diagram would block the browser for too long. */
const LONGEST = 20_000;

const LARGEST_PICTURE = 4_000_000;

const MOST_MILLISECONDS = 30_000;

/** A message from the frame: that it is ready, the diagram as SVG, or that the text is invalid. */
interface Told {
  isReady?: boolean;
  svg?: string;
}

/**
 * A Mermaid diagram. A frame without origin and network renders it (`console/diagram`), and the SVG is shown as an
 * image, so scripts can run in neither.
 */
export function Diagram({ text }: { text: string }): JSX.Element {
  const frame = useRef<HTMLIFrameElement>(null);
  const [picture, setPicture] = useState<Blob>();
  const [hasFailed, setHasFailed] = useState(text.length > LONGEST);
  const address = useObjectUrl(picture);
  useEffect(() => {
    if (hasFailed) return undefined;
    const end = setTimeout(() => setHasFailed(true), MOST_MILLISECONDS);
    const listen = ({ source, data }: MessageEvent<Told>): void => {
      if (source === null || source !== frame.current?.contentWindow) return;
      if (data.isReady === true) {
        // A frame without an origin cannot be a `targetOrigin`, so the check of the window must suffice.
        frame.current.contentWindow.postMessage({ text }, '*');
        return;
      }
      clearTimeout(end);
      const isPicture = typeof data.svg === 'string' && data.svg.length <= LARGEST_PICTURE;
      if (isPicture) setPicture(new Blob([data.svg as string], { type: 'image/svg+xml' }));
      else setHasFailed(true);
    };
    addEventListener('message', listen);
    return () => {
      clearTimeout(end);
      removeEventListener('message', listen);
    };
  }, [text]);
  if (hasFailed) return <p class="diagram soft">{t('no_diagram')}</p>;
  return (
    <div class="diagram" tabIndex={0} role="group" aria-label={t('diagram')}>
      {address ? (
        <img src={address} alt={t('diagram')} />
      ) : (
        <>
          <span class="spinner" />
          <iframe
            ref={frame}
            class="diagram-frame"
            title={t('diagram')}
            src={`${BASE}/diagram.html`}
            sandbox="allow-scripts"
            tabIndex={-1}
          />
        </>
      )}
    </div>
  );
}
