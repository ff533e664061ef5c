import fc from 'fast-check';
import { contrast, readable } from '../../console/src/app/brand-colour';

const colours = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`);

describe('the colour of an installation', () => {
  it('is compared by the WCAG contrast formula', () => {
    expect(contrast('#ffffff', '#000000')).toBeCloseTo(21);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('is unchanged if it is readable, and otherwise becomes darker or lighter', () => {
    expect(readable('#0a6e5c').light).toBe('#0a6e5c');
    expect(readable('#ffff00').dark).toBe('#ffff00');
    expect(readable('#ffff00').light).not.toBe('#ffff00');
  });

  it('is readable on light and dark pages, whatever it is', () => {
    fc.assert(
      fc.property(colours, (colour) => {
        const { light, dark } = readable(colour);
        expect(contrast(light, '#f6f6f8')).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, '#16181d')).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, '#1e2027')).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });
});
