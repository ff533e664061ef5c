/** The AI SDK, as applications have it: from here, since it is installed in this folder only. */
export {
  AbstractChat,
  DefaultChatTransport,
  readUIMessageStream,
  safeValidateUIMessages,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
