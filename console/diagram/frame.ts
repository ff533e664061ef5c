import type Mermaid from 'mermaid';

declare const mermaid: typeof Mermaid;

/**
 * Renders a diagram for the page around this frame. The frame has no origin, no network and no user data, so a diagram
 * can do nothing here but return an image.
 */
const answer = (told: { isReady?: boolean; svg?: string }): void => parent.postMessage(told, '*');

/** @throws Error if the text is not a diagram */
async function draw(text: string): Promise<string> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: 'default',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    fontFamily: 'system-ui, sans-serif',
    maxTextSize: 20_000,
    maxEdges: 300,
    suppressErrorRendering: true,
    // Directives in a diagram cannot override these options.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'maxEdges',
      'htmlLabels',
      'flowchart',
      'fontFamily',
    ],
  });
  const { svg } = await mermaid.render('drawn', text);
  const picture = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
  const [, , width = 0, height = 0] = (picture?.getAttribute('viewBox') ?? '').split(/\s+/).map(Number);
  if (!picture || width === 0 || height === 0) throw new Error('Nothing was drawn.');
  // An image needs its own size.
  picture.setAttribute('width', String(Math.ceil(width)));
  picture.setAttribute('height', String(Math.ceil(height)));
  return new XMLSerializer().serializeToString(picture);
}

addEventListener('message', ({ source, data }: MessageEvent<{ text?: unknown }>) => {
  if (source !== parent || typeof data.text !== 'string') return;
  draw(data.text).then(
    (svg) => answer({ svg }),
    () => answer({}),
  );
});
answer({ isReady: true });
