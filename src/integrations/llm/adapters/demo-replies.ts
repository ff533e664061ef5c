interface DemoWords {
  /** `{message}` is replaced by the beginning of the message, `{place}` by one of the following. */
  reply: string;
  /** Names pages of the console. */
  inConsole: string;
  /** Used without a console. */
  byApi: string;
  /** After calls of functions. `{results}` stands for what they returned. */
  called: string;
}

/** The texts of the demo provider, by language. */
const WORDS = new Map<string, DemoWords>([
  [
    'en',
    {
      reply:
        'This is a demo reply: no language model was asked. You wrote: “{message}”. For real answers, an administrator adds ' +
        'a model provider {place} and makes it the default one. Nothing has to be restarted.',
      inConsole: 'in the console (“Administration” → “Providers”)',
      byApi: 'with the API (/admin/providers)',
      called:
        'This is a demo reply: no language model was asked. Your message named these tools, and they returned: {results}',
    },
  ],
  [
    'zh',
    {
      reply:
        '这是演示回复：没有询问任何语言模型。您写道：“{message}”。 ' +
        '要获得真正的回答， 请管理员{place}添加模型提供商， 并将其设为默认。 无需重启服务。',
      inConsole: '在控制台（“管理” → “模型提供商”）中',
      byApi: '通过 API（/admin/providers）',
      called: '这是演示回复：没有询问任何语言模型。 您的消息提到了以下工具， 它们返回了：{results}',
    },
  ],
  [
    'es',
    {
      reply:
        'Esta es una respuesta de demostración: no se ha preguntado a ningún modelo de lenguaje. Ha escrito: «{message}». ' +
        'Para obtener respuestas reales, un administrador añade un proveedor de modelos {place} y lo establece como ' +
        'predeterminado. No hace falta reiniciar nada.',
      inConsole: 'en la consola («Administración» → «Proveedores»)',
      byApi: 'con la API (/admin/providers)',
      called:
        'Esta es una respuesta de demostración: no se ha preguntado a ningún modelo de lenguaje. Su mensaje nombra estas ' +
        'herramientas, que han devuelto: {results}',
    },
  ],
  [
    'fr',
    {
      reply:
        'Ceci est une réponse de démonstration : aucun modèle de langage n’a été interrogé. Vous avez écrit : « {message} ». ' +
        'Pour de vraies réponses, un administrateur ajoute un fournisseur de modèles {place} et en fait le fournisseur par ' +
        'défaut. Rien ne doit être redémarré.',
      inConsole: 'dans la console (« Administration » → « Fournisseurs »)',
      byApi: 'avec l’API (/admin/providers)',
      called:
        'Ceci est une réponse de démonstration : aucun modèle de langage n’a été interrogé. Votre message nomme ces ' +
        'outils, qui ont renvoyé : {results}',
    },
  ],
  [
    'de',
    {
      reply:
        'Dies ist eine Demo-Antwort: Es wurde kein Sprachmodell gefragt. Sie schrieben: „{message}“. Für echte Antworten fügt ' +
        'ein Administrator {place} einen Modellanbieter hinzu und macht ihn zum Standard. Nichts muss neu gestartet werden.',
      inConsole: 'in der Konsole („Verwaltung“ → „Anbieter“)',
      byApi: 'über die API (/admin/providers)',
      called:
        'Dies ist eine Demo-Antwort: Es wurde kein Sprachmodell gefragt. Ihre Nachricht nennt diese Werkzeuge, und sie ' +
        'haben zurückgegeben: {results}',
    },
  ],
  [
    'ja',
    {
      reply:
        'これはデモの返信です。 言語モデルには問い合わせていません。 あなたのメッセージ：「{message}」。 ' +
        '実際の回答を得るには、 管理者が{place}モデルのプロバイダーを追加し、 既定にします。 再起動は不要です。',
      inConsole: 'コンソール（「管理」 → 「プロバイダー」）で',
      byApi: ' API（/admin/providers）で',
      called:
        'これはデモの返信です。 言語モデルには問い合わせていません。 メッセージに名前のあるツールを呼び出しました。 結果：{results}',
    },
  ],
]);

const FALLBACK_LANGUAGE = 'en';
const LONGEST_QUOTE = 200;

/**
 * The reply to `message` in `language` (a code such as `de` or `de-AT`), in English if there is no translation.
 *
 * @param hasConsole whether the service has its console, where providers can be added
 */
export function demoReply(message: string, language: string | undefined, hasConsole: boolean): string {
  const words = wordsOf(language);
  const reply = words?.reply.replace('{place}', hasConsole ? words.inConsole : words.byApi) ?? '';
  // A function, because `$&` in a replacement string has a special meaning.
  return reply.replace('{message}', () => quoteOf(message));
}

/** The reply after calls of functions, with the beginning of each result. */
export function demoToolReply(
  results: readonly { name: string; content: string }[],
  language: string | undefined,
): string {
  const quotes = results.map(({ name, content }) => `${name}: ${quoteOf(content)}`).join('; ');
  return wordsOf(language)?.called.replace('{results}', () => quotes) ?? '';
}

function wordsOf(language: string | undefined): DemoWords | undefined {
  const primaryLanguage = (language ?? FALLBACK_LANGUAGE).split('-', 1)[0]?.toLowerCase() ?? FALLBACK_LANGUAGE;
  return WORDS.get(primaryLanguage) ?? WORDS.get(FALLBACK_LANGUAGE);
}

function quoteOf(text: string): string {
  const characters = [...text.trim()];
  return characters.slice(0, LONGEST_QUOTE).join('') + (characters.length > LONGEST_QUOTE ? '…' : '');
}
