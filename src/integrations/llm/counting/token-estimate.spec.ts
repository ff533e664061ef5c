import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { estimateTokens } from './token-estimate';

const SAMPLES: Record<string, string> = {
  English:
    'The quick brown fox jumps over the lazy dog. In the meantime, nobody noticed that the committee had already decided against it, although several members objected.',
  German: 'Die Geschwindigkeitsbegrenzung auf Autobahnen wird seit Jahren überaus leidenschaftlich diskutiert.',
  French: 'L’été dernier, nous avons passé quelques jours à l’étranger où il faisait très chaud.',
  Russian: 'Вчера вечером мы долго гуляли по набережной и разговаривали о будущем.',
  Arabic: 'ذهبت إلى السوق صباح اليوم لأشتري بعض الفواكه والخضروات الطازجة.',
  Hindi: 'मैं आज सुबह बाज़ार गया और कुछ ताज़े फल और सब्ज़ियाँ खरीदीं।',
  Thai: 'วันนี้อากาศดีมาก เราไปเดินเล่นที่สวนสาธารณะกันเถอะ',
  Chinese: '今天天气很好，我们去公园散步吧。你觉得怎么样？',
  Japanese: '今日はとても良い天気なので、公園へ散歩に行きましょう。カメラも持って行きます。',
  Korean: '오늘은 날씨가 아주 좋아서 공원으로 산책을 가려고 합니다.',
  Amharic: 'ዛሬ አየሩ በጣም ጥሩ ነው ወደ መናፈሻ እንሂድ።',
  emoji: '😀👍🏽👩‍👩‍👧‍👦🎉🇩🇪🧑🏿‍🚀',
  code: 'for (let i = 0; i < items.length; i++) { total += items[i]?.price ?? 0; } // sum\n\treturn total;',
  JSON: '{"id":12345,"name":"Ann","tags":["a","b"],"created_at":"2026-11-20T12:00:00.000Z","ok":true}',
  base64: 'dGhpcyBpcyBhIHRlc3Qgb2YgYmFzZTY0IGVuY29kZWQgZGF0YSB3aXRoIG5vIG1lYW5pbmc3Zjg5YTBiYzEyM2RlZg==',
  hexadecimal: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  digits: '3141592653589793238462643383279502884197',
};

describe('estimateTokens', () => {
  it.each(Object.entries(SAMPLES))('is between one and three times the exact count: %s', (_kind, sample) => {
    const exact = countTokens(sample);
    const estimate = estimateTokens(sample);
    expect(estimate).toBeGreaterThanOrEqual(exact);
    expect(estimate).toBeLessThanOrEqual(exact * 3);
  });

  it('is 0 for nothing', () => {
    expect(estimateTokens('')).toBe(0);
  });

  it('estimates a long text as the sum of its parts', () => {
    const part = 'ordinary words, 中文 ';
    expect(estimateTokens(part.repeat(50_000)) / estimateTokens(part) / 50_000).toBeCloseTo(1, 0);
  });

  it('samples a long text evenly', () => {
    const texts = Object.values(SAMPLES);
    const text = Array.from({ length: 6_000 }, (_text, index) => texts[(index * 7) % texts.length]).join('\n');
    const looked = jest.spyOn(String.prototype, 'charCodeAt');
    const estimate = estimateTokens(text);
    expect(looked.mock.calls.length).toBeLessThan(text.length / 7);
    looked.mockRestore();
    const exact = text.match(/[^]{1,100000}/g)?.reduce((sum, slice) => sum + estimateTokens(slice), 0) ?? 0;
    expect(Math.abs(estimate - exact) / exact).toBeLessThan(0.05);
  });
});
