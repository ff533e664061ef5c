/** What the demo provider says, by language. `{message}` stands for the beginning of the user's message. */
const REPLIES: Record<string, string> = {
  en:
    'This is a demo reply: no language model is configured yet. You wrote: “{message}”. ' +
    'To get real answers, set LLM_PROVIDER, LLM_BASE_URL, LLM_API_KEY and LLM_MODEL and restart the service.',
  zh:
    '这是演示回复：尚未配置任何语言模型。您写道：“{message}”。 ' +
    '要获得真正的回答，请设置 LLM_PROVIDER、 LLM_BASE_URL、 LLM_API_KEY 和 LLM_MODEL， 然后重启服务。',
  es:
    'Esta es una respuesta de demostración: todavía no hay ningún modelo de lenguaje configurado. Ha escrito: «{message}». ' +
    'Para obtener respuestas reales, defina LLM_PROVIDER, LLM_BASE_URL, LLM_API_KEY y LLM_MODEL y reinicie el servicio.',
  fr:
    'Ceci est une réponse de démonstration : aucun modèle de langage n’est encore configuré. Vous avez écrit : « {message} ». ' +
    'Pour de vraies réponses, définissez LLM_PROVIDER, LLM_BASE_URL, LLM_API_KEY et LLM_MODEL, puis redémarrez le service.',
  de:
    'Dies ist eine Demo-Antwort: Es ist noch kein Sprachmodell eingerichtet. Sie schrieben: „{message}“. ' +
    'Für echte Antworten setzen Sie LLM_PROVIDER, LLM_BASE_URL, LLM_API_KEY und LLM_MODEL und starten den Dienst neu.',
  ja:
    'これはデモの返信です。 言語モデルはまだ設定されていません。 あなたのメッセージ：「{message}」。 ' +
    '実際の回答を得るには、 LLM_PROVIDER、 LLM_BASE_URL、 LLM_API_KEY、 LLM_MODEL を設定し、 サービスを再起動してください。',
};

const FALLBACK_LANGUAGE = 'en';
const LONGEST_QUOTE = 200;

/** The reply to `message` in `language` (a code such as `de` or `de-AT`), in English where there is no translation. */
export function demoReply(message: string, language: string | undefined): string {
  const primaryLanguage = (language ?? FALLBACK_LANGUAGE).split('-', 1)[0]?.toLowerCase() ?? FALLBACK_LANGUAGE;
  const characters = [...message.trim()];
  const quote = characters.slice(0, LONGEST_QUOTE).join('') + (characters.length > LONGEST_QUOTE ? '…' : '');
  const template = REPLIES[primaryLanguage] ?? REPLIES[FALLBACK_LANGUAGE] ?? '';
  // A function, because `$&` in a replacement string has a special meaning.
  return template.replace('{message}', () => quote);
}
