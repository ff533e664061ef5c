/** The start of the signatures of this service. They seal nothing: they only mark whose thinking it is. */
const PREFIX = 'ck1.';

/** The signature of the reasoning of a provider that has no signatures. Clients require one and send it back. */
export const OWN_SIGNATURE = `${PREFIX}reasoning`;

/** Whether a `thinking` block comes from this service, so that no Anthropic model accepts it. */
export function isOwnThinking(block: unknown): boolean {
  const { type, signature } = (block ?? {}) as { type?: unknown; signature?: unknown };
  return type === 'thinking' && typeof signature === 'string' && signature.startsWith(PREFIX);
}

/**
 * The messages without `thinking` blocks of this service. A message that is empty without them is dropped, and
 * neighbouring turns of one role are then merged. The same array is returned if there is no such block.
 */
export function withoutOwnThinking(messages: readonly unknown[]): readonly unknown[] {
  if (!messages.some((message) => blocksOf(message).some(isOwnThinking))) {
    return messages;
  }
  const kept: unknown[] = [];
  let isDropped = false;
  for (const message of messages) {
    const blocks = blocksOf(message);
    const others = blocks.filter((block) => !isOwnThinking(block));
    if (blocks.length > 0 && others.length === 0) {
      isDropped = true;
      continue;
    }
    const cleaned = others.length === blocks.length ? message : { ...(message as object), content: others };
    const last = kept.at(-1);
    if (isDropped && roleOf(last) === roleOf(cleaned)) {
      kept[kept.length - 1] = merged(last, cleaned);
    } else {
      kept.push(cleaned);
    }
    isDropped = false;
  }
  return kept;
}

function blocksOf(message: unknown): readonly unknown[] {
  const { content } = (message ?? {}) as { content?: unknown };
  return Array.isArray(content) ? content : [];
}

function roleOf(message: unknown): unknown {
  return ((message ?? {}) as { role?: unknown }).role;
}

function merged(one: unknown, next: unknown): object {
  return { ...(one as object), content: [...asBlocks(one), ...asBlocks(next)] };
}

function asBlocks(message: unknown): readonly unknown[] {
  const { content } = message as { content?: unknown };
  return typeof content === 'string' ? [{ type: 'text', text: content }] : blocksOf(message);
}
