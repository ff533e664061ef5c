interface DemoWords {
  /** `{message}` is replaced by the beginning of the message, `{place}` by one of the following. */
  reply: string;
  /** Names pages of the console. */
  inConsole: string;
  /** Used without a console. */
  byApi: string;
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
  const primaryLanguage = (language ?? FALLBACK_LANGUAGE).split('-', 1)[0]?.toLowerCase() ?? FALLBACK_LANGUAGE;
  const characters = [...message.trim()];
  const quote = characters.slice(0, LONGEST_QUOTE).join('') + (characters.length > LONGEST_QUOTE ? '…' : '');
  const words = WORDS.get(primaryLanguage) ?? WORDS.get(FALLBACK_LANGUAGE);
  const reply = words?.reply.replace('{place}', hasConsole ? words.inConsole : words.byApi) ?? '';
  // A function, because `$&` in a replacement string has a special meaning.
  return reply.replace('{message}', () => quote);
}
