import { fileName } from './file-name';

describe('the name of a file', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\plan.docx', 'plan.docx'],
    ['/', 'file'],
    ['', 'file'],
    ['..', 'file'],
    ['a/..', 'file'],
    ['\u202e', 'file'],
    ['exe\u202Egpj.txt', 'exegpj.txt'],
    ['zero\u200bwidth\u0000\r\n.md', 'zerowidth.md'],
    ['Cafe\u0301.md', 'Café.md'],
    [' spaced .txt ', 'spaced .txt'],
    ['lone\ud800.txt', 'lone\ufffd.txt'],
  ])('of %j is %j', (sent, name) => expect(fileName(sent)).toBe(name));

  it('is cut to 255 characters without splitting one', () => {
    expect([...fileName('😀'.repeat(300))]).toEqual(Array.from({ length: 255 }, () => '😀'));
  });
});
