import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { openFile } from 'scree';
import { describe, expect, it } from 'vitest';
import { readAll, rowsOf, useFolder } from './support.js';

const folder = useFolder();
let count = 0;

async function save(content: string | Uint8Array, ending = 'csv'): Promise<string> {
  const path = folder.file(`${count++}.${ending}`);
  await writeFile(path, content);
  return path;
}

const sql = 'select * from data';

describe('a query over text', () => {
  it.each<[string, string]>([
    ['decimal commas', 'a;b\n1,5;2,5\n2,5;7,25\n3,1;8,5\n'],
    ['NA', 'a,b,c\n1,2,3\nNA,4,5\n2,9,1\n5,1,7\n'],
    ['blanks around cells', 'a, b , c\n 1 , 2.5, NA\n 3 ,4,\t5\n4,  -1e3 ,6\n'],
    ['truth, infinities and signs', 'a,b,c\ntrue,1,+5\nFALSE,2,-3\n1,?,.5\n'],
    ['names that are missing or come twice', ',x,x,\n0,1,2,3\n1,5,7,1\n2,6,8,9\n'],
    ['names that differ in their case', 'a,A,b\n1,2,7\n3,4,8\n5,7,9\n'],
    ['no names', '1\t2\n3\t4\n5\t7\n'],
    ['a header that is one name short', 'x,y\nr1,1,2\nr2,3,4\nr3,5,7\n'],
    ['blank lines, a mark and line ends of two characters', '\ufeff\r\n\r\na,b\r\n1,2\r\n\r\n3,4\r\n5,7\r\n'],
    ['a name on two lines', '"a\nb",c\n1,2\n3,4\n5,7\n'],
    ['texts with delimiters', `id,a,b\n"x, ""y""",1,2\n'z,3,4\n"",5,7\n`],
    ['blanks as delimiters', 'a b\n1 2\n3 4\n5 7\n'],
    ['thousands, by the marks of another column', 'a;b\n1,62;22.488\n1,69;43.092\n1,70;950\n1,80;1.200.000\n'],
    ['thousands with decimals', 'a\tb\n1\t17,995.5\n2\t60,567.25\n3\t950\n'],
    ['comments above names', '# one\n\n# two\na,b\n1,2\n3,4\n5,7\n'],
    ['names in a comment', '# a b\n1 2\n3 4\n5 7\n'],
    ["Excel's delimiter", 'sep=;\na;b\n1;2\n3;4\n5;7\n'],
    ['years for names', 'country,2019,2020,2021\nA,29684,71901,21054\nB,33245,38153,49185\nC,1,2,3\n'],
    ['a column of nothing', 'a,b,c\n1,,2\n3,,4\n5,,7\n'],
  ])('reads %s as scree does', async (_, content) => {
    for (const packed of [false, true]) {
      const path = await save(packed ? gzipSync(content) : content, packed ? 'csv.gz' : 'csv');
      const [plain, asked] = [await readAll(path, { missing: 'drop' }), await readAll(path, { missing: 'drop', sql })];
      expect(asked.rows).toEqual(plain.rows);
      expect(asked.rows.length).toBeGreaterThan(1);
      const names = (columns: readonly string[]) => columns.map((name) => (name === 'A' ? 'A_1' : name));
      expect(asked.file.columns).toEqual(names(plain.file.columns));
    }
  });

  it('reads Windows-1252, and asks what a comma means if that is ambiguous', async () => {
    const path = await save(Buffer.from('gr\xf6\xdfe,b\n1,2\n3,5\n4,4\n', 'latin1'));
    expect((await readAll(path, { sql: 'select größe from data' })).rows).toEqual([[1], [3], [4]]);
    await expect(readAll(await save('a\tb\n58\t17,995\n41\t60,567\n30\t950\n', 'tsv'), { sql })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringContaining('17,995 may be a number with thousands or one with decimals'),
    });
  });

  it('does not round numbers after many integers', async () => {
    const rows = Array.from({ length: 40_000 }, (_, i) => `${i},${i % 7}\n`).join('');
    const path = await save(`a,b\n${rows}1.5,77\n`);
    expect((await readAll(path, { sql: 'select a from data where b = 77' })).rows).toEqual([[1.5]]);
  });

  it('compares dates as dates, and trims labels', async () => {
    const path = await save('day,x,kind\n31.12.2020,1, a\n01.02.2021,2,b \n03.02.2021,3,NA\n');
    const file = await openFile(path, {
      sql: "select x, month(day) as m, kind from data where day > date '2021-01-01'",
      label: 'kind',
    });
    expect(await rowsOf(file)).toEqual([
      [2, 2],
      [3, 2],
    ]);
    const { names, codes } = await file.labels();
    expect([names, ...codes]).toEqual([['b', 'NA'], 0, 1]);
    await file.close();
  });

  it('names the line with the error', async () => {
    await expect(readAll(await save('a,b\n1,2\n3,4,5\n6,7\n'), { sql })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringMatching(/Line: 3.*Expected Number of Columns: 2 Found: 3/),
    });
    await expect(readAll(await save('a,b\n1,2\n3,4\n6,oops\n5,6\n'), { sql })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringContaining('oops'),
    });
    await expect(readAll(await save('a   b\n1   2\n3   4\n6   5\n'), { sql })).rejects.toMatchObject({
      code: 'BAD_OPTION',
      message: expect.stringContaining('blanks'),
    });
  });
});
