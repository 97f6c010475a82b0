/// <reference types="node" />
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { pca } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { describeComponent } from '../src/describe/index.js';
import { famd, mca } from '../src/index.js';

/**
 * The sentences about components beside R's `dimdesc(PCA(x), axes = 1:2)` of FactoMineR, which lists the columns whose correlation is
 * significant at 5 %, with correlation and p-value, the strongest first. A sentence names fewer: those that are significant after Holm's
 * correction for the number of columns, and contribute as much as the average column or more.
 */

/** column:correlation:p of every column in R's list, for PC1 and PC2. */
const R: Readonly<Record<string, readonly [string, string]>> = {
  USArrests: [
    'Assault:0.918:5.8e-21 Rape:0.856:2.4e-15 Murder:0.844:1.4e-14 UrbanPop:0.438:0.0015',
    'UrbanPop:0.868:3.2e-16 Murder:-0.416:0.0027',
  ],
  mtcars: [
    'cyl:0.961:2.5e-18 disp:0.946:2.8e-16 wt:0.890:9.8e-12 hp:0.848:8.6e-10 carb:0.550:0.0011 qsec:-0.515:0.0025 gear:-0.532:0.0017 am:-0.604:0.00025 drat:-0.756:5.6e-07 vs:-0.788:8.7e-08 mpg:-0.932:9.3e-15',
    'gear:0.753:6.7e-07 am:0.699:8.5e-06 carb:0.673:2.4e-05 drat:0.447:0.01 hp:0.405:0.021 vs:-0.377:0.033 qsec:-0.754:6.1e-07',
  ],
  iris: [
    'Petal.Length:0.992:3.4e-133 Petal.Width:0.965:6.6e-88 Sepal.Length:0.890:2.2e-52 Sepal.Width:-0.460:3.1e-09',
    'Sepal.Width:0.883:2.1e-50 Sepal.Length:0.361:5.7e-06',
  ],
  swiss: [
    'Fertility:0.817:2.4e-12 Agriculture:0.759:6.4e-10 Catholic:0.626:2.5e-06 Education:-0.813:4e-12 Examination:-0.912:5.2e-19',
    'Infant.Mortality:0.884:1.8e-16 Fertility:0.351:0.016 Agriculture:-0.449:0.0016',
  ],
  attitude: [
    'raises:0.862:9.4e-10 complaints:0.849:3e-09 learning:0.826:1.9e-08 rating:0.796:1.4e-07 privileges:0.684:3.1e-05 advance:0.583:0.00072',
    'critical:0.644:0.00012 advance:0.609:0.00036 rating:-0.424:0.02',
  ],
  'state.x77': [
    'HS Grad:0.806:1.7e-12 Life Exp:0.781:2.3e-11 Frost:0.678:6.3e-08 Income:0.567:1.8e-05 Murder:-0.843:1.6e-14 Illiteracy:-0.887:9.6e-18',
    'Area:0.751:3.4e-10 Income:0.663:1.6e-07 Population:0.525:9.1e-05 Murder:0.392:0.0049 HS Grad:0.382:0.0062',
  ],
  stackloss: [
    'stack.loss:0.955:1.9e-11 Air.Flow:0.946:9e-11 Water.Temp:0.907:1.4e-08 Acid.Conc.:0.606:0.0036',
    'Acid.Conc.:0.794:1.7e-05',
  ],
  longley: [
    'Year:0.999:5.8e-21 GNP:0.996:7.8e-16 GNP.deflator:0.994:7.8e-15 Population:0.992:4.2e-14 Employed:0.971:4.5e-10 Unemployed:0.657:0.0057',
    'Armed.Forces:0.846:3.6e-05 Unemployed:-0.673:0.0043',
  ],
  rock: [
    'peri:0.951:4.8e-25 area:0.766:2.2e-10 shape:-0.635:1.2e-06 perm:-0.845:4.2e-14',
    'shape:0.678:1.2e-07 area:0.581:1.5e-05',
  ],
  trees: ['Volume:0.970:2.3e-19 Girth:0.945:1.4e-15 Height:0.759:7.3e-07', 'Height:0.650:7.4e-05'],
  quakes: [
    'mag:0.954:0 stations:0.905:0 long:-0.300:3.6e-22 depth:-0.348:7.4e-30',
    'long:0.785:1.6e-209 stations:0.201:1.4e-10 mag:0.141:7.5e-06 depth:0.115:0.00028 lat:-0.816:5.5e-240',
  ],
  LifeCycleSavings: [
    'pop75:0.941:2.6e-24 dpi:0.863:8.2e-16 sr:0.518:0.00012 pop15:-0.959:7.6e-28',
    'ddpi:0.876:7.6e-17 sr:0.621:1.5e-06 dpi:-0.298:0.035',
  ],
};

interface Listed {
  readonly name: string;
  readonly r: number;
  readonly p: number;
}

function listOf(text: string): Listed[] {
  return [...text.matchAll(/(\S.*?):(-?[\d.]+):(\S+)(?: |$)/g)].map(([, name, r, p]) => ({
    name,
    r: Number(r),
    p: Number(p),
  }));
}

function cellsOf(text: string): string[][] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')));
}

/** The columns of numbers of a table, without its row names. */
function numbersOf(name: string): { names: string[]; rows: number[][] } {
  const file = new URL(`../../files/test/tables/${name}.csv`, import.meta.url);
  const [head, ...lines] = cellsOf(readFileSync(file, 'utf8'));
  const named = head[0] === '' || head[0] === 'rownames';
  const used = head.flatMap((_, j) =>
    (j === 0 && named) || !lines.every((cells) => cells[j] !== '' && Number.isFinite(Number(cells[j]))) ? [] : [j],
  );
  return { names: used.map((j) => head[j]), rows: lines.map((cells) => used.map((j) => Number(cells[j]))) };
}

/** "more a, b and c, less d" as columns with a sign. */
function namedIn(sentence: string | undefined): Map<string, 1 | -1> {
  const named = new Map<string, 1 | -1>();
  for (const [, word, list] of (sentence ?? '').matchAll(/(more|less) (.*?)(?=, less |; |\.$)/g))
    for (const name of list.split(/, | and /)) named.set(name, word === 'more' ? 1 : -1);
  return named;
}

/** R's list after Holm's correction for d columns: |r| of at least 0.5, or one of the three strongest with r² of at least 0.04. */
function expected(list: readonly Listed[], d: number): Listed[] {
  const byP = [...list].sort((a, b) => a.p - b.p);
  const rejected = byP.findIndex(({ p }, rank) => (d - rank) * p >= 0.05);
  const left = byP.slice(0, rejected < 0 ? undefined : rejected).filter(({ r }) => r * r >= 0.04);
  const strongest = [...left].sort((a, b) => Math.abs(b.r) - Math.abs(a.r)).slice(0, 3);
  return left.filter((each) => Math.abs(each.r) >= 0.5 || strongest.includes(each));
}

describe.each(Object.entries(R))('the sentences about %s', (table, lists) => {
  it("name the columns that are left of R's dimdesc after Holm's correction, with the same signs", async () => {
    const { names, rows } = numbersOf(table);
    const model = await pca(rows, { scale: 'unit', ddof: 0, columnNames: names, k: 2 });
    lists.forEach((text, c) => {
      const list = listOf(text);
      const kept = expected(list, names.length);
      const sentence = describeComponent(model, c, { most: 100 });
      const together = sentence?.includes('all columns rise together');
      const said = together ? new Map(names.map((name) => [name, 1 as const])) : namedIn(sentence);
      expect([...said.keys()].sort()).toEqual(kept.map(({ name }) => name).sort());
      // The sign of a component is arbitrary.
      const [first] = kept;
      const sign = (said.get(first.name) as number) * Math.sign(first.r);
      for (const { name, r } of kept) expect(said.get(name)).toBe(sign * Math.sign(r));
      // The strongest come first.
      const strongest = [...list].sort((a, b) => Math.abs(b.r) - Math.abs(a.r))[0];
      expect(said.has(strongest.name)).toBe(true);
    });
  });
});

/** Categories of `dimdesc(MCA(x))`, with η², by p. */
const MCA_LISTS = {
  poison: [
    'Abdominals:0.8451:4.1e-23 Diarrhae:0.7995:3.9e-20 Fever:0.7847:2.6e-19 Mayo:0.3830:4.8e-07 Vomiting:0.3442:2.5e-06 Nausea:0.2562:8.1e-05 Cheese:0.1944:0.00075',
    'Courgette:0.4464:2.5e-08 Potato:0.3958:2.7e-07 Vomiting:0.2512:9.7e-05 Icecream:0.1409:0.0047',
  ],
  tea: [
    'where:0.4179:1.3e-35 tearoom:0.3719:6.1e-32 how:0.2988:1.3e-23 friends:0.2432:8.6e-20 resto:0.2265:2.3e-18 tea.time:0.1920:1.7e-15 price:0.2161:4.1e-14 pub:0.1472:5.8e-12 work:0.1115:3e-09 How:0.1029:4.8e-07 Tea:0.0895:9e-07 lunch:0.0746:1.6e-06 evening:0.0531:5.6e-05 always:0.0448:0.00022 dinner:0.0329:0.0016 breakfast:0.0254:0.0057 sugar:0.0153:0.032',
    'where:0.6255:4.5e-64 price:0.5606:1.8e-50 how:0.5129:4.1e-47 Tea:0.1603:5.4e-12 resto:0.0588:2.2e-05 dinner:0.0476:0.00014 work:0.0433:0.00028 sugar:0.0308:0.0023 How:0.0430:0.0046 lunch:0.0261:0.005 breakfast:0.0255:0.0055 tearoom:0.0216:0.011 friends:0.0153:0.032',
  ],
} as const;

/** Categories and their η², in the order of the sentence. */
function categoriesIn(sentence: string | undefined): [string, number][] {
  return [...(sentence ?? '').matchAll(/\(([^,(]+), η² (\S+?)\)|levels of (\S+) \(η² (\S+?)\)/g)].map(
    ([, two, a, many, b]) => [two ?? many, Number(a ?? b)],
  );
}

function records(text: string, from: number, to?: number): Record<string, string>[] {
  const [head, ...lines] = cellsOf(text);
  return lines.map((cells) => Object.fromEntries(head.map((name, j) => [name, cells[j]]).slice(from, to)));
}

describe('the sentences about categories', () => {
  const fixture = (name: string): Buffer => readFileSync(new URL(`../../core/test/fixtures/${name}`, import.meta.url));
  const tables = {
    poison: records(fixture('poison.csv').toString(), 5),
    tea: records(gunzipSync(fixture('tea.csv.gz')).toString(), 0),
  };

  it.each(Object.entries(MCA_LISTS))(
    "of %s name those of R's dimdesc with an η² above the average",
    async (name, lists) => {
      const model = await mca(tables[name as 'tea'], { k: 2 });
      for (const [c, text] of lists.entries()) {
        // The contribution of a category is η²/(Qλ), and the average 1/Q. There is a test of every category and of every level.
        const tests = model.d + (model.coding?.columns.length ?? 0);
        const kept = listOf(text).filter(({ r: eta2, p }) => eta2 >= model.variances[c] && tests * p < 0.05);
        kept.sort((a, b) => b.r - a.r);
        const said = categoriesIn(describeComponent(model, c, { most: 100 }));
        expect(said.map(([category]) => category)).toEqual(kept.map((each) => each.name));
        said.forEach(([, eta2], i) => {
          expect(eta2).toBeCloseTo(kept[i].r, 1.9);
        });
      }
    },
  );

  it("of wine, with numbers, name Soil for PC2 as R's dimdesc(FAMD(wine[, 1:29])), and no category for PC1", async () => {
    const rows = records(fixture('wine-factominer.csv').toString(), 1, 30).map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, cell]) => [name, ['Label', 'Soil'].includes(name) ? cell : Number(cell)]),
      ),
    );
    const model = await famd(rows, { k: 2 });
    expect(categoriesIn(describeComponent(model, 0, { most: 100 }))).toEqual([]);
    const second = describeComponent(model, 1, { most: 100 });
    expect(categoriesIn(second)).toEqual([['Soil', 0.87]]);
    expect(second).toMatch(/separates the 4 levels of Soil \(η² \.87\): highest for Env4\./);
    // The first of R's list.
    expect([...namedIn(second).keys()].slice(0, 2)).toEqual(['Spice.before.shaking', 'Odor.Intensity.before.shaking']);
  });
});
