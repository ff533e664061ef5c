/** What programs reach with OpenAI's client, or before they sign in. `files` and `knowledge` are the same data. */
const FOR_OTHER_CLIENTS = /^\/(openai\/v1\/(files|uploads|vector_stores)|\.well-known)(\/|$)/;

/** All operations that the client has, each with its `method` in upper case and its `path`. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'patch', 'delete']
      .filter((method) => item[method])
      .map((method) => ({ ...item[method], method: method.toUpperCase(), path }))
      .filter(({ path }) => !FOR_OTHER_CLIENTS.test(path))
      // Operations without a 2xx response only redirect, so a browser opens them directly.
      .filter(({ responses }) => Object.keys(responses).some((status) => status.startsWith('2')))
      // The methods send JSON. Programs that sign in by OAuth send forms.
      .filter(
        ({ requestBody }) => Object.keys(requestBody?.content ?? {}).join() !== 'application/x-www-form-urlencoded',
      ),
  );
}

/** Resolves a reference. Any other value is returned unchanged. */
export function resolved(document, value) {
  return value.$ref
    ? resolved(
        document,
        nameParts(value.$ref).reduce((part, name) => part[name], document),
      )
    : value;
}

/** `#/components/schemas/ChatDto`: ChatDto. */
export function nameOf({ $ref }) {
  return nameParts($ref).pop();
}

/** `admin.users.list`, `content_refused`: AdminUsersList, ContentRefused. */
export function inOneWord(words) {
  return words.replace(/(?:^|[._])(\w)/g, (_match, letter) => letter.toUpperCase());
}

export function comment(text, indent = '') {
  return `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', `\n${indent} * `)} */\n`;
}

function nameParts($ref) {
  return $ref.slice('#/'.length).split('/');
}
