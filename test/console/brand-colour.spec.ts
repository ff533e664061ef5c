import fc from 'fast-check';
import { contrast, readable } from '../../console/src/app/brand-colour';

const colours = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`);

describe('the colour of an installation', () => {
  it('is told apart as WCAG says', () => {
    expect(contrast('#ffffff', '#000000')).toBeCloseTo(21);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('stays as it is where it can be read, and otherwise becomes darker or lighter', () => {
    expect(readable('#0a6e5c').light).toBe('#0a6e5c');
    expect(readable('#ffff00').dark).toBe('#ffff00');
    expect(readable('#ffff00').light).not.toBe('#ffff00');
  });

  it('can be read on light and on dark pages, whatever it is', () => {
    fc.assert(
      fc.property(colours, (colour) => {
        const { light, dark } = readable(colour);
        expect(contrast(light, '#ffffff')).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, '#15171c')).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, '#232730')).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });
});
